/**
 * Finds a text with a NUL character in input that a contract has accepted. Returns its path, in the form in which a form's field
 * is named, or null if there is none. PostgreSQL cannot store a NUL in a text, and text that people write has none.
 */
export function findFieldWithNul(value: unknown, field = ''): string | null {
  if (typeof value === 'string') return value.includes('\0') ? field : null
  if (typeof value !== 'object' || value === null) return null
  for (const [name, item] of Object.entries(value)) {
    const found = findFieldWithNul(item, field === '' ? name : `${field}.${name}`)
    if (found !== null) return found
  }
  return null
}
