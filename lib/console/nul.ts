/**
 * Where a text with a NUL stands in what a contract has let through, as a field of a form is named; null where there is none.
 * PostgreSQL keeps no NUL in a text, and no text of people has one.
 */
export function fieldWithNul(value: unknown, field = ''): string | null {
  if (typeof value === 'string') return value.includes('\0') ? field : null
  if (typeof value !== 'object' || value === null) return null
  for (const [name, item] of Object.entries(value)) {
    const found = fieldWithNul(item, field === '' ? name : `${field}.${name}`)
    if (found !== null) return found
  }
  return null
}
