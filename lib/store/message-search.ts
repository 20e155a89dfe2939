import type { Pool } from 'pg'
import type { RequestRecord } from '../services/history/request-ports.ts'
import { unpack } from './compression.ts'

/**
 * Bodies are compressed and have to be unpacked to be searched. These are the limits for one page: bodies, bytes read, and
 * characters unpacked. A repetitive text unpacks to a thousand times its size.
 */
const MAX_BODIES = 200
const MAX_BYTES = 8 * 1024 * 1024
const MAX_CHARACTERS = 32 * 1024 * 1024
const BATCH_RECORDS = 50
/** How much is in memory at the same time. A larger body is read alone. */
const MAX_GROUP_BYTES = 1024 * 1024

// Sizes come first, so that no more is read than allowed.
const SIZES = `
  select h.request_id as id, octet_length(h.body) as bytes from history h join account a on a.id = h.account_id
  where h.account_id = $1 and h.request_id = any($2) and h.at >= $3 and h.at <= $4 and octet_length(h.body) > 0
    and h.at > now() - make_interval(days => a.history_days)
    and (a.history_cleared_at is null or h.at > a.history_cleared_at)`
const BODIES = `
  select request_id as id, body from history
  where account_id = $1 and request_id = any($2) and at >= $3 and at <= $4`

export interface MessageSearch {
  /** The most records to pass to it. */
  maxRecords: number
  /**
   * The newest records, up to `wanted`, that contain the text. `lookedTo` is the record where the search stopped because one
   * page may not read more bodies; null if it looked at all of them.
   */
  findMatches(records: RequestRecord[], wanted: number): Promise<{ records: RequestRecord[]; lookedTo: string | null }>
}

/** A text as it appears inside JSON, without its quotes. */
const toJsonText = (text: string): string => JSON.stringify(text).slice(1, -1).toLowerCase()

function timeRangeOf(part: RequestRecord[]): [Date, Date] {
  const times = part.map(({ at }) => at.getTime())
  return [new Date(Math.min(...times)), new Date(Math.max(...times))]
}

/** Groups records, in their order, so that the bodies of each group fit into memory together. */
function groupsOf(part: RequestRecord[], bytesOf: Map<string, number>): RequestRecord[][] {
  const groups: RequestRecord[][] = []
  let capacity = 0
  for (const record of part) {
    const bytes = bytesOf.get(record.id) ?? 0
    capacity -= bytes
    if (groups.length === 0 || capacity < 0) {
      groups.push([])
      capacity = MAX_GROUP_BYTES - bytes
    }
    groups.at(-1)?.push(record)
  }
  return groups
}

/** Searches conversations, ignoring case, within the limits of one page. */
export function createMessageSearch(pool: Pool, accountId: string, text: string): MessageSearch {
  const wantedText = toJsonText(text)
  const budget = { bodies: MAX_BODIES, bytes: MAX_BYTES, characters: MAX_CHARACTERS }

  async function sizesOf(part: RequestRecord[]): Promise<Map<string, number>> {
    const values = [accountId, part.map(({ id }) => id), ...timeRangeOf(part)]
    const { rows } = await pool.query<{ id: string; bytes: number }>(SIZES, values)
    return new Map(rows.map(({ id, bytes }) => [id, bytes]))
  }

  async function bodiesOf(group: RequestRecord[]): Promise<Map<string, Buffer>> {
    if (group.length === 0) return new Map()
    const { rows } = await pool.query<{ id: string; body: Buffer }>(BODIES, [
      ...[accountId, group.map(({ id }) => id), ...timeRangeOf(group)],
    ])
    return new Map(rows.map(({ id, body }) => [id, body]))
  }

  async function containsText(body: Buffer | undefined): Promise<boolean> {
    if (body === undefined || body.length === 0) return false
    // A body that cannot be read counts as empty. Its own page reports that.
    const json = await unpack(body).catch(() => '')
    budget.bodies -= 1
    budget.bytes -= body.length
    budget.characters -= json.length
    return json.toLowerCase().includes(wantedText)
  }

  return {
    maxRecords: MAX_BODIES,
    async findMatches(records, wanted) {
      const matches: RequestRecord[] = []
      for (let at = 0; at < records.length; at += BATCH_RECORDS) {
        const part = records.slice(at, at + BATCH_RECORDS)
        const sizes = await sizesOf(part)
        for (const group of groupsOf(part, sizes)) {
          const bodies = await bodiesOf(group.filter(({ id }) => sizes.has(id)))
          for (const record of group) {
            if (await containsText(bodies.get(record.id))) matches.push(record)
            if (matches.length >= wanted) return { records: matches, lookedTo: null }
            if (budget.bodies <= 0 || budget.bytes <= 0 || budget.characters <= 0)
              return { records: matches, lookedTo: record.id }
          }
        }
      }
      // If as many came as were asked for, there may be more.
      return { records: matches, lookedTo: records.length >= MAX_BODIES ? (records.at(-1)?.id ?? null) : null }
    },
  }
}
