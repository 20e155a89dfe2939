import type { Pool } from 'pg'
import { firstIdAt, timeOfId } from '../domain/ids.ts'
import type { RequestFilter, RequestRecord, Requests } from '../services/ports.ts'
import type { Prisma, PrismaClient, UsageRecord } from './generated/client.ts'
import { readHistory } from './history-store.ts'

// The time in the id leads to one partition. Upkeep deletes once a day; what is past an account's
// retention is not shown meanwhile.
const HISTORY = `
  select h.body from history h join account a on a.id = h.account_id
  where h.account_id = $1 and h.request_id = $2 and h.at between $3 and $4
    and h.at > now() - make_interval(days => a.history_days)`
/** By how much the time in an id may differ from that of its request, which is read a moment apart. */
const SKEW_MS = 60_000
/** After every request there will be. */
const MAX_TIME_MS = Date.UTC(9999, 0)

// Every hour named here holds at least one record that fits, so as many hours as rows are wanted
// are enough. Without it a rare filter would walk through all that an account ever asked.
const FLOOR = `
  select min(hour) as floor from (
    select hour from usage_hour
    where account_id = $1 and hour <= $2 and ($3::text is null or model_id = $3) and ($4::text is null or key_id = $4)
      and ($5::text is null or case $5 when 'error' then errors > 0 else requests > errors end)
    group by hour order by hour desc limit $6
  ) newest`

/** Between which times a request was made, to look into one partition instead of all. */
function timesOf(requestId: string): { gte: Date; lte: Date } {
  const ms = timeOfId(requestId).getTime()
  return { gte: new Date(ms - SKEW_MS), lte: new Date(ms + SKEW_MS) }
}

const isFiltered = (filter: RequestFilter): boolean => filter.model !== null || filter.keyId !== null || filter.status !== null

/** The start of the oldest hour that a filtered page can need; null where nothing fits at all. */
async function floorOf(pool: Pool, accountId: string, filter: RequestFilter, rows: number): Promise<Date | null> {
  const until = filter.before === null ? new Date(MAX_TIME_MS) : timesOf(filter.before).lte
  const { rows: found } = await pool.query<{ floor: Date | null }>(FLOOR, [
    accountId,
    until,
    filter.model,
    filter.keyId,
    filter.status,
    // The hour of `before`, and the one that the skew reaches into, may hold only what is newer than it.
    rows + 2,
  ])
  return found[0]?.floor ?? null
}

function whereOf(accountId: string, filter: RequestFilter, floor: Date | null): Prisma.UsageRecordWhereInput {
  const id: Prisma.StringFilter = {}
  const at: Prisma.DateTimeFilter = {}
  if (filter.before !== null) {
    id.lt = filter.before
    at.lte = timesOf(filter.before).lte
  }
  if (floor !== null) {
    id.gte = firstIdAt('req', floor.getTime() - SKEW_MS)
    at.gte = floor
  }
  return {
    accountId,
    id,
    // The same bounds as the id's, which let PostgreSQL leave out whole months.
    at,
    ...(filter.model === null ? {} : { modelId: filter.model }),
    ...(filter.keyId === null ? {} : { keyId: filter.keyId }),
    ...(filter.status === 'error' ? { status: { gte: 400 } } : {}),
    ...(filter.status === 'ok' ? { status: { lt: 400 } } : {}),
  }
}

const recordOf = (row: Omit<UsageRecord, 'receipt' | 'trace'>, keyName: string): RequestRecord => ({
  id: row.id,
  at: row.at,
  modelId: row.modelId,
  keyId: row.keyId,
  keyName,
  endpoint: row.endpoint,
  stream: row.stream,
  status: row.status,
  outcome: row.outcome,
  errorCode: row.errorCode,
  inputUnits: row.inputUnits,
  outputUnits: row.outputUnits,
  tookMs: row.tookMs,
  chargedNano: row.chargedNano,
})

async function keyNames(prisma: PrismaClient, accountId: string, ids: string[]): Promise<Map<string, string>> {
  const keys = await prisma.apiKey.findMany({
    where: { accountId, id: { in: [...new Set(ids)] } },
    select: { id: true, name: true },
  })
  return new Map(keys.map(({ id, name }) => [id, name]))
}

/**
 * Usage records and what was said. `onDamaged` hears of a history that cannot be read; its request is
 * shown without it, because the receipt must not depend on it.
 */
export function createRequests(
  pool: Pool,
  prisma: PrismaClient,
  onDamaged: (requestId: string, error: unknown) => void,
): Requests {
  return {
    async page(accountId, filter, rows) {
      const floor = isFiltered(filter) ? await floorOf(pool, accountId, filter, rows) : null
      if (isFiltered(filter) && floor === null) return []
      const records = await prisma.usageRecord.findMany({
        where: whereOf(accountId, filter, floor),
        orderBy: { id: 'desc' },
        take: rows,
        omit: { receipt: true, trace: true },
      })
      const names = await keyNames(
        prisma,
        accountId,
        records.map(({ keyId }) => keyId),
      )
      return records.map((record) => recordOf(record, names.get(record.keyId) ?? ''))
    },
    async find(accountId, requestId) {
      const record = await prisma.usageRecord.findFirst({ where: { accountId, id: requestId, at: timesOf(requestId) } })
      if (!record) return null
      const [names, group] = await Promise.all([
        keyNames(prisma, accountId, [record.keyId]),
        prisma.modelGroup.findUnique({ where: { id: record.groupId }, select: { name: true } }),
      ])
      return { ...record, keyName: names.get(record.keyId) ?? '', groupName: group?.name ?? '' }
    },
    async history(accountId, requestId) {
      const at = timesOf(requestId)
      const { rows } = await pool.query<{ body: Buffer }>(HISTORY, [accountId, requestId, at.gte, at.lte])
      const row = rows[0]
      if (!row) return null
      try {
        return JSON.parse(await readHistory(row.body)) as unknown
      } catch (error) {
        onDamaged(requestId, error)
        return null
      }
    },
  }
}
