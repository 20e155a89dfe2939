import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { ID_RANDOM_BYTES, newId } from '../domain/ids.ts'
import { findConnections, type SeedConnection } from '../store/seed-store.ts'
import type { Secrets } from './secrets.ts'

/** What seeding works with. */
export interface Seeding {
  secrets: Secrets
  say(line: string): void
}

/** An id of a row that seeding makes. */
export const seedId = (prefix: string): string => newId(prefix, Date.now(), randomBytes(ID_RANDOM_BYTES))

/**
 * Whether a connection that is to be seeded is there already, archived or not: by an earlier start (`ours`), whatever an
 * operator made of it since; or as another one, which has its id or its name (`taken`), and then that is said. `label` is
 * what people call the vendor.
 */
export async function standingOf(
  pool: pg.Pool,
  wanted: Pick<SeedConnection, 'id' | 'name' | 'kind'>,
  label: string,
  say: (line: string) => void,
): Promise<'new' | 'ours' | 'taken'> {
  const found = await findConnections(pool, wanted)
  if (found.some(({ id, kind }) => id === wanted.id && kind === wanted.kind)) return 'ours'
  const [other] = found
  if (!other) return 'new'
  say(
    `${label} is not connected: "${other.name}" (${other.id}, ${other.kind}) is another connection, and two connections cannot have the same name.`,
  )
  return 'taken'
}
