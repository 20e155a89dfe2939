import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { ID_RANDOM_BYTES, newId } from '../domain/ids.ts'
import { findConnections, type SeedConnection } from '../store/seed-store.ts'
import type { Secrets } from './secrets.ts'

/** What seeding works with. */
export interface SeedContext {
  secrets: Secrets
  printLine(line: string): void
}

/** Creates an id for a row that seeding adds. */
export const seedId = (prefix: string): string => newId(prefix, Date.now(), randomBytes(ID_RANDOM_BYTES))

/**
 * Whether a connection that is to be seeded already exists, archived or not. It is `ours` if an earlier start created it, even if
 * an operator has changed it since. It is `taken` if another connection has its id or its name; then a line says so. `label` is
 * the vendor's name for people.
 */
export async function connectionStatusOf(
  pool: pg.Pool,
  wanted: Pick<SeedConnection, 'id' | 'name' | 'kind'>,
  label: string,
  printLine: (line: string) => void,
): Promise<'new' | 'ours' | 'taken'> {
  const found = await findConnections(pool, wanted)
  if (found.some(({ id, kind }) => id === wanted.id && kind === wanted.kind)) return 'ours'
  const [other] = found
  if (!other) return 'new'
  printLine(
    `${label} is not connected: "${other.name}" (${other.id}, ${other.kind}) is another connection, and two connections cannot have the same name.`,
  )
  return 'taken'
}
