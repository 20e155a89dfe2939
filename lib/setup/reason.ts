/** What an error says, in one line where it can: one that gathers others, as of all addresses of a host, says theirs. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join('; ')
  return error instanceof Error ? error.message : String(error)
}

/** Does something that a setting decides on. Where it fails, the error names the setting and says what could not be done. */
export async function under<T>(setting: string, failure: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Error(`${setting}: ${failure}: ${reasonOf(error)}`, { cause: error })
  }
}
