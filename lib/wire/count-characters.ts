/** Counts Unicode code points. Makes no list of them, because a text may be as long as a request. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
