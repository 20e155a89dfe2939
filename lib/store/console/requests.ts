import type { Pool } from 'pg'
import { timeOfId } from '../../domain/ids.ts'
import type { RequestFilter } from '../../services/history/history-ports.ts'
import type { RequestRecord, RequestScan, Requests } from '../../services/history/request-ports.ts'
import { unpack } from '../compression.ts'
import type { PrismaClient } from '../generated/client.ts'
import { MessageSearch } from '../message-search.ts'
import { type IdRange, rangesOf, SKEW_MS } from '../request-ranges.ts'
import { conditionsOf, scanChunk } from '../request-scan.ts'

// The time in the id leads to one partition. Upkeep deletes once a day; until then, rows past an account's retention are not
// shown. An empty body marks a deleted one.
const HISTORY = `
  select h.body from history h join account a on a.id = h.account_id
  where h.account_id = $1 and h.request_id = $2 and h.at between $3 and $4
    and h.at > now() - make_interval(days => a.history_days)
    and (a.history_cleared_at is null or h.at > a.history_cleared_at)`
const CLEARED = 'select history_cleared_at >= $2 as cleared from account where id = $1'

/** How many rows are searched in each step: few if most of them match, and never more in total than all of these. */
const CHUNK_ROWS = [250, 2_000, 18_000]

/** The time range of a request, so that one partition is searched instead of all. */
function timeRangeOf(requestId: string): { gte: Date; lte: Date } {
  const ms = timeOfId(requestId).getTime()
  return { gte: new Date(ms - SKEW_MS), lte: new Date(ms + SKEW_MS) }
}

/** The parts of the ranges below an id. */
function rangesBelow(ranges: readonly IdRange[], id: string): IdRange[] {
  return ranges.flatMap((range) => (range.low >= id ? [] : [{ ...range, high: range.high < id ? range.high : id }]))
}

interface Scan {
  pool: Pool
  accountId: string
  filter: RequestFilter
  before: string | null
  wanted: number
  /** Null if messages are not searched. */
  messages: MessageSearch | null
}

/** Searches more and more rows, until enough of them match, there are no more, or the limit is reached. */
async function scan({ pool, accountId, filter, before, wanted, messages }: Scan): Promise<RequestScan> {
  const { ranges, rest } = await rangesOf(pool, accountId, filter, before)
  // The first five values are the account and the ranges.
  const conditions = await conditionsOf(pool, accountId, filter, 6)
  const records: RequestRecord[] = []
  let remaining = ranges
  for (const rows of CHUNK_ROWS) {
    if (remaining.length === 0) break
    const missing = wanted - records.length
    const size = Math.max(rows, missing)
    const chunk = await scanChunk(pool, accountId, filter, remaining, conditions, size, messages?.maxRecords ?? missing)
    const matches =
      messages === null ? { records: chunk.records, lookedTo: null } : await messages.findMatches(chunk.records, missing)
    records.push(...matches.records)
    if (records.length >= wanted) return { records, lookedTo: null }
    const lookedTo = matches.lookedTo ?? (chunk.scanned < size ? null : chunk.last)
    if (matches.lookedTo !== null) return { records, lookedTo: matches.lookedTo }
    remaining = lookedTo === null ? [] : rangesBelow(remaining, lookedTo)
  }
  return { records, lookedTo: remaining[0]?.high ?? rest }
}

async function keyNames(prisma: PrismaClient, accountId: string, ids: string[]): Promise<Map<string, string>> {
  const keys = await prisma.apiKey.findMany({
    where: { accountId, id: { in: [...new Set(ids)] } },
    select: { id: true, name: true },
  })
  return new Map(keys.map(({ id, name }) => [id, name]))
}

/**
 * Usage records and conversations. `onDamaged` is called for a history that cannot be read. Its request is shown without it,
 * because the receipt must not depend on it.
 */
export function createRequests(
  pool: Pool,
  prisma: PrismaClient,
  onDamaged: (requestId: string, error: unknown) => void,
): Requests {
  return {
    page(accountId, filter, before, wanted) {
      const messages = filter.search?.in === 'messages' ? new MessageSearch(pool, accountId, filter.search.text) : null
      return scan({ pool, accountId, filter, before, wanted, messages })
    },
    async find(accountId, requestId) {
      const record = await prisma.usageRecord.findFirst({ where: { accountId, id: requestId, at: timeRangeOf(requestId) } })
      if (!record) return null
      const [names, group] = await Promise.all([
        keyNames(prisma, accountId, [record.keyId]),
        prisma.modelGroup.findUnique({ where: { id: record.groupId }, select: { name: true } }),
      ])
      return { ...record, keyName: names.get(record.keyId) ?? '', groupName: group?.name ?? '' }
    },
    async history(accountId, requestId) {
      const at = timeRangeOf(requestId)
      const { rows } = await pool.query<{ body: Buffer }>(HISTORY, [accountId, requestId, at.gte, at.lte])
      const row = rows[0]
      if (!row) {
        const { rows: found } = await pool.query<{ cleared: boolean | null }>(CLEARED, [accountId, timeOfId(requestId)])
        return found[0]?.cleared ? 'deleted' : null
      }
      if (row.body.length === 0) return 'deleted'
      try {
        return { content: JSON.parse(await unpack(row.body)) as unknown }
      } catch (error) {
        onDamaged(requestId, error)
        return null
      }
    },
  }
}
