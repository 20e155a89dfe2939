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

/** Searches conversations of an account for a text, ignoring case, within the limits of one page. */
export class MessageSearch {
  readonly #pool: Pool
  readonly #accountId: string
  readonly #wantedText: string
  readonly #budget = { bodies: MAX_BODIES, bytes: MAX_BYTES, characters: MAX_CHARACTERS }
  /** The most records to pass to it. */
  readonly maxRecords = MAX_BODIES

  constructor(pool: Pool, accountId: string, text: string) {
    this.#pool = pool
    this.#accountId = accountId
    this.#wantedText = toJsonText(text)
  }

  /**
   * The newest records, up to `wanted`, that contain the text. `lookedTo` is the record where the search stopped because one
   * page may not read more bodies; null if it looked at all of them.
   */
  async findMatches(records: RequestRecord[], wanted: number): Promise<{ records: RequestRecord[]; lookedTo: string | null }> {
    const matches: RequestRecord[] = []
    for await (const [record, body] of this.#withBodies(records)) {
      if (await this.#containsText(body)) matches.push(record)
      if (matches.length >= wanted) return { records: matches, lookedTo: null }
      if (this.#isSpent) return { records: matches, lookedTo: record.id }
    }
    // If as many came as were asked for, there may be more.
    return { records: matches, lookedTo: records.length >= MAX_BODIES ? (records.at(-1)?.id ?? null) : null }
  }

  get #isSpent(): boolean {
    const { bodies, bytes, characters } = this.#budget
    return bodies <= 0 || bytes <= 0 || characters <= 0
  }

  /** The records in their order, each with its body, which is undefined if history keeps none. */
  async *#withBodies(records: RequestRecord[]): AsyncGenerator<[RequestRecord, Buffer | undefined]> {
    for (let at = 0; at < records.length; at += BATCH_RECORDS) {
      const part = records.slice(at, at + BATCH_RECORDS)
      const sizes = await this.#sizesOf(part)
      for (const group of groupsOf(part, sizes)) {
        const bodies = await this.#bodiesOf(group.filter(({ id }) => sizes.has(id)))
        for (const record of group) yield [record, bodies.get(record.id)]
      }
    }
  }

  async #sizesOf(part: RequestRecord[]): Promise<Map<string, number>> {
    const values = [this.#accountId, part.map(({ id }) => id), ...timeRangeOf(part)]
    const { rows } = await this.#pool.query<{ id: string; bytes: number }>(SIZES, values)
    return new Map(rows.map(({ id, bytes }) => [id, bytes]))
  }

  async #bodiesOf(group: RequestRecord[]): Promise<Map<string, Buffer>> {
    if (group.length === 0) return new Map()
    const values = [this.#accountId, group.map(({ id }) => id), ...timeRangeOf(group)]
    const { rows } = await this.#pool.query<{ id: string; body: Buffer }>(BODIES, values)
    return new Map(rows.map(({ id, body }) => [id, body]))
  }

  async #containsText(body: Buffer | undefined): Promise<boolean> {
    if (body === undefined || body.length === 0) return false
    // A body that cannot be read counts as empty. Its own page reports that.
    const json = await unpack(body).catch(() => '')
    this.#budget.bodies -= 1
    this.#budget.bytes -= body.length
    this.#budget.characters -= json.length
    return json.toLowerCase().includes(this.#wantedText)
  }
}
