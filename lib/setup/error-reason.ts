import { fieldIn } from '../domain/field-in.ts'

/** PostgreSQL's code for a server, a database or a role that takes no more connections. */
const TOO_MANY_CONNECTIONS = '53300'

/**
 * An error's message, in one line if possible. An AggregateError, such as one for all addresses of a host, gives its errors'
 * messages. What a setting can help against names the setting.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join('; ')
  const message = error instanceof Error ? error.message : String(error)
  return fieldIn(error, 'code') === TOO_MANY_CONNECTIONS
    ? `${message}. Lower DATABASE_POOL, or raise the limit of the database (max_connections).`
    : message
}

/** Awaits work that depends on a setting. If it fails, the error names the setting and says what could not be done. */
export async function withErrorContext<T>(setting: string, failure: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Error(`${setting}: ${failure}: ${reasonOf(error)}`, { cause: error })
  }
}
