import { truncateMiddle } from './truncate-middle.ts'

/** How many characters of a name a row shows on a phone: two or three lines. */
const MAX_SHOWN = 32

/**
 * A name in a row, such as a model's id. On phones a long one is shortened in the middle. Its title and screen readers have it
 * in full.
 */
export function LongName({ name }: { name: string }) {
  const truncated = truncateMiddle(name, MAX_SHOWN)
  if (truncated === name) return name
  return (
    <>
      <span className="max-sm:sr-only">{name}</span>
      <span aria-hidden title={name} className="sm:hidden">
        {truncated}
      </span>
    </>
  )
}
