import type { Pool, PoolClient } from 'pg'
import type {
  Actor,
  CatalogChange,
  CatalogTarget,
  CatalogWrites,
  ChangeOutcome,
  GroupMoves,
} from '../../services/operator/operator-ports.ts'
import { notifyChange } from '../notify-change.ts'
import { inTransaction } from '../transaction.ts'
import { isUniqueViolation } from '../unique-violation.ts'
import { auditId, writeAudit } from './audit.ts'
import { columnsOf, diffRows, TABLES, toAuditRow } from './columns.ts'

type Row = Record<string, unknown>
type AddChange = Extract<CatalogChange, { do: 'add' }>
type SetChange = Extract<CatalogChange, { do: 'set' }>

/** Ends the transaction of a change that cannot be made. */
class RefusedError extends Error {
  readonly outcome: Exclude<ChangeOutcome, { outcome: 'done' }>
  constructor(outcome: 'stale' | 'taken' | 'missing', target: CatalogTarget, id: string) {
    super(outcome)
    this.outcome = { outcome, target, id }
  }
}

const FOREIGN_KEY_VIOLATION = '23503'
/** Any number that none of our other locks has. */
const CATALOG_LOCK = 7_105_260_016

async function add(client: PoolClient, change: AddChange): Promise<Row> {
  const { target, id, value } = change
  if (change.target === 'price' && change.seen !== undefined && change.seen !== (await lastPrice(client, change.value.modelId)))
    throw new RefusedError('stale', target, change.value.modelId)
  const columns = columnsOf(target, value).filter(({ name, value: given }) => !(name === 'starts_at' && given === null))
  // A price that takes effect immediately starts at the database's clock, which is also the clock of change notifications.
  const now = target === 'price' && value.startsAt === null
  const names = ['id', ...columns.map(({ name }) => name), ...(now ? ['starts_at'] : [])]
  const placeholders = [...names.slice(0, columns.length + 1).map((_, at) => `$${at + 1}`), ...(now ? ['clock_timestamp()'] : [])]
  if (target === 'group' && value.isDefault) await clearDefault(client, id)
  const inserted = await client.query<Row>(
    `insert into ${TABLES[target].table} (${names.join(', ')}) values (${placeholders.join(', ')}) returning *`,
    [id, ...columns.map(({ value: given }) => given)],
  )
  return inserted.rows[0] ?? {}
}

/** Ends the default status of another group. Its version changes, so that whoever has it open is told. */
const clearDefault = (client: PoolClient, nextId: string) =>
  client.query('update model_group set is_default = false, version = version + 1 where is_default and id <> $1', [nextId])

/** The version of a model's price that was created last. */
async function lastPrice(client: PoolClient, modelId: string): Promise<string | null> {
  const found = await client.query<{ id: string }>(
    'select id from price where model_id = $1 order by created_at desc, id desc limit 1',
    [modelId],
  )
  return found.rows[0]?.id ?? null
}

/** Withdraws a price at least a second before it begins. The trigger on its table checks again. */
async function withdraw(client: PoolClient, id: string): Promise<Row> {
  const deleted = await client.query<Row>(
    "delete from price where id = $1 and not price_holds(starts_at - interval '1 second') returning *",
    [id],
  )
  if (deleted.rows[0]) return deleted.rows[0]
  const { rowCount } = await client.query('select from price where id = $1', [id])
  throw new RefusedError(rowCount === 0 ? 'missing' : 'stale', 'price', id)
}

async function moveMembers(client: PoolClient, id: string, moves: GroupMoves): Promise<void> {
  const put = (table: string, column: string, ids: string[]) =>
    client.query(`insert into ${table} (group_id, ${column}) select $1, unnest($2::text[]) on conflict do nothing`, [id, ids])
  const remove = (table: string, column: string, ids: string[]) =>
    client.query(`delete from ${table} where group_id = $1 and ${column} = any ($2)`, [id, ids])
  if (moves.removeModels.length > 0) await remove('group_model', 'model_id', moves.removeModels)
  if (moves.addModels.length > 0) await put('group_model', 'model_id', moves.addModels)
  if (moves.removeAccounts.length > 0) await remove('group_account', 'account_id', moves.removeAccounts)
  if (moves.addAccounts.length > 0) await put('group_account', 'account_id', moves.addAccounts)
}

async function updateTarget(client: PoolClient, change: SetChange): Promise<{ before: Row; after: Row }> {
  const { target, id, version, value } = change
  const { table } = TABLES[target]
  const found = await client.query<Row>(`select * from ${table} where id = $1 for update`, [id])
  const [before] = found.rows
  if (!before) throw new RefusedError('missing', target, id)
  if (version !== null && before.version !== version) throw new RefusedError('stale', target, id)
  if (target === 'group' && 'isDefault' in value && value.isDefault) await clearDefault(client, id)
  const columns = columnsOf(target, value)
  const sets = columns.map(({ name }, at) => `${name} = $${at + 2}`)
  if (value.archived !== undefined) sets.push(`archived_at = ${value.archived ? 'coalesce(archived_at, now())' : 'null'}`)
  // Sealed headers replace those from before headers were sealed.
  if (target === 'connection' && 'headersSealed' in value) sets.push(`headers = '{}'`)
  const updated = await client.query<Row>(
    `update ${table} set ${[...sets, 'version = version + 1'].join(', ')} where id = $1 returning *`,
    [id, ...columns.map(({ value: given }) => given)],
  )
  if (change.target === 'group' && change.moves) await moveMembers(client, id, change.moves)
  return { before, after: updated.rows[0] ?? {} }
}

const nonEmptyMoves = (moves: GroupMoves | undefined): object =>
  Object.fromEntries(Object.entries(moves ?? {}).filter(([, ids]) => ids.length > 0))

const verbOf = ({ archived }: { archived?: boolean }): string =>
  archived === undefined ? 'change' : archived ? 'archive' : 'restore'

async function applyChange(client: PoolClient, actor: Actor, change: CatalogChange): Promise<number> {
  const { target, id } = change
  const line = { id: auditId(), actor, target, targetId: id }
  if (change.do === 'add') {
    const row = await add(client, change)
    await writeAudit(client, { ...line, verb: `${target}.add`, before: null, after: toAuditRow(target, row) })
    return Number(row.version ?? 1)
  }
  if (change.do === 'withdraw') {
    const row = await withdraw(client, id)
    await writeAudit(client, { ...line, verb: `${target}.withdraw`, before: toAuditRow(target, row), after: null })
    return 1
  }
  const { before, after } = await updateTarget(client, change)
  const diff = diffRows(toAuditRow(target, before), toAuditRow(target, after))
  const moved = change.target === 'group' ? nonEmptyMoves(change.moves) : {}
  const verb = `${target}.${verbOf(change.value)}`
  await writeAudit(client, { ...line, verb, before: diff.before, after: { ...diff.after, ...moved } })
  return Number(after.version)
}

async function applyAll(client: PoolClient, actor: Actor, changes: readonly CatalogChange[]): Promise<number[]> {
  await client.query('select pg_advisory_xact_lock($1)', [CATALOG_LOCK])
  const versions: number[] = []
  for (const change of changes) {
    try {
      versions.push(await applyChange(client, actor, change))
    } catch (error) {
      if (isUniqueViolation(error)) throw new RefusedError('taken', change.target, change.id)
      if ((error as { code?: unknown }).code === FOREIGN_KEY_VIOLATION)
        throw new RefusedError('missing', change.target, change.id)
      throw error
    }
  }
  // One message for all changes, because every process that hears it reads the whole catalog again.
  await notifyChange(client, 'catalog', changes[0]?.id ?? '')
  return versions
}

/** Operators' changes to the catalog. */
export function createCatalogWrites(pool: Pool): CatalogWrites {
  return {
    async apply(actor, changes) {
      try {
        return { outcome: 'done', versions: await inTransaction(pool, (client) => applyAll(client, actor, changes)) }
      } catch (error) {
        if (error instanceof RefusedError) return error.outcome
        throw error
      }
    },
  }
}
