/** Whether a value is an object, and not a list or null. For what was parsed and is not trusted. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
