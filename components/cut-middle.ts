/**
 * Shortens a name to a maximum number of characters. A longer name loses its middle, because names that begin alike differ at
 * the end.
 */
export function cutMiddle(name: string, most: number): string {
  // Splits by code points, so that no character is cut in half.
  const characters = [...name]
  if (characters.length <= most) return name
  const head = Math.ceil((most - 1) / 2)
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (most - 1 - head)).join('')}`
}
