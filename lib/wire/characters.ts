/** Unicode code points. No list is made of them: a text may be as long as a request. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
