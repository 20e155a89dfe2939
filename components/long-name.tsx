import { cutMiddle } from './cut-middle.ts'

/** How much of a name a row of a phone shows: two or three lines. */
const MOST_SHOWN = 32

/** A name in a row, such as a model's id. On phones a long one is cut in its middle; it is read out, and pointed at, whole. */
export function LongName({ name }: { name: string }) {
  const cut = cutMiddle(name, MOST_SHOWN)
  if (cut === name) return name
  return (
    <>
      <span className="max-sm:sr-only">{name}</span>
      <span aria-hidden title={name} className="sm:hidden">
        {cut}
      </span>
    </>
  )
}
