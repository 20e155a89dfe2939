import { Fragment } from 'react'
import { truncateMiddle } from './truncate-middle.ts'

/** How many characters of a name a row shows on a phone: two or three lines. */
const MAX_SHOWN = 32

/**
 * A name in a row, such as a model's id. On phones a long one is shortened in the middle. Its title and screen readers have it
 * in full.
 */
export function LongName({ name }: { name: string }) {
  const truncated = truncateMiddle(name, MAX_SHOWN)
  if (truncated === name) return <Breakable name={name} />
  return (
    <>
      <span className="max-sm:sr-only">
        <Breakable name={name} />
      </span>
      <span aria-hidden title={name} className="sm:hidden">
        <Breakable name={truncated} />
      </span>
    </>
  )
}

/** A name in its own direction, which breaks after a slash rather than inside a word. */
const Breakable = ({ name }: { name: string }) => (
  <bdi>
    {name.split(/(?<=\/)/).map((part, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a name have no other identity
      <Fragment key={index}>
        {index > 0 && <wbr />}
        {part}
      </Fragment>
    ))}
  </bdi>
)
