/**
 * Shortens a name to a maximum number of characters. A longer name loses its middle, because names that begin alike differ at
 * the end.
 */
export function truncateMiddle(name: string, maxCharacters: number): string {
  // Splits by code points, so that no character is cut in half.
  const characters = [...name]
  if (characters.length <= maxCharacters) return name
  const head = Math.ceil((maxCharacters - 1) / 2)
  return `${characters.slice(0, head).join('')}…${characters.slice(characters.length - (maxCharacters - 1 - head)).join('')}`
}
