/** An object or array inside a JSON value, with its name in the place that contains it. */
interface JsonNode {
  value: object
  name: PropertyKey
  parent: JsonNode | null
}

function pathOf(place: JsonNode): PropertyKey[] {
  const path: PropertyKey[] = []
  for (let at = place; at.parent !== null; at = at.parent) path.push(at.name)
  return path.reverse()
}

/**
 * The path to the first object in a JSON value whose `length` or `size` is an object too, or null if there is none. Zod
 * compares either with its bounds before it checks the type, and an object that hides `toString` makes that comparison throw.
 * The bodies come from strangers and can have any depth, so no path is built before it is needed.
 */
export function findUnsafeLength(value: unknown): PropertyKey[] | null {
  const stack: JsonNode[] = []
  const add = (inner: unknown, name: PropertyKey, parent: JsonNode | null) => {
    if (typeof inner === 'object' && inner !== null) stack.push({ value: inner, name, parent })
  }
  add(value, '', null)
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const found = place.value
    if (Array.isArray(found)) {
      for (const [at, inner] of found.entries()) add(inner, at, place)
      continue
    }
    const { length, size } = found as { length?: unknown; size?: unknown }
    if ([length, size].some((size) => typeof size === 'object' && size !== null)) return pathOf(place)
    for (const [name, inner] of Object.entries(found)) add(inner, name, place)
  }
  return null
}
