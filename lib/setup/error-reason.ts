/**
 * An error's message, in one line if possible. An AggregateError, such as one for all addresses of a host, gives its errors'
 * messages.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** Awaits work that depends on a setting. If it fails, the error names the setting and says what could not be done. */
export async function withErrorContext<T>(setting: string, failure: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Error(`${setting}: ${failure}: ${reasonOf(error)}`, { cause: error })
  }
}
