/**
 * A name of at most so many characters: from a longer one its middle is left out, since names that begin alike are told apart
 * by their ends.
 */
export function cutMiddle(name: string, most: number): string {
  // By characters as they are read, none of which is cut into halves.
  const characters = [...name]
  if (characters.length <= most) return name
  const head = Math.ceil((most - 1) / 2)
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (most - 1 - head)).join('')}`
}
