/**
 * The path to the first object in a JSON value whose `length` or `size` is an object too; null where there is none. Zod
 * compares either with its bounds before it has looked what they are, and an object that hides `toString` makes that
 * comparison throw.
 */
export function oddLength(value: unknown): PropertyKey[] | null {
  const left: { value: unknown; path: PropertyKey[] }[] = [{ value, path: [] }]
  for (let item = left.pop(); item !== undefined; item = left.pop()) {
    const { value: found, path } = item
    if (typeof found !== 'object' || found === null) continue
    if (Array.isArray(found)) {
      for (const [at, inner] of found.entries()) left.push({ value: inner, path: [...path, at] })
      continue
    }
    const { length, size } = found as { length?: unknown; size?: unknown }
    if ([length, size].some((size) => typeof size === 'object' && size !== null)) return path
    for (const [name, inner] of Object.entries(found)) left.push({ value: inner, path: [...path, name] })
  }
  return null
}
