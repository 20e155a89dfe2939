import type { Pool } from 'pg'
import type { RequestFilter } from '../services/history/history-ports.ts'
import type { RequestRecord } from '../services/history/request-ports.ts'
import { escapeLike } from './escape-like.ts'
import type { IdRange } from './request-ranges.ts'

/** A LIKE pattern for texts that contain this one. */
const patternOf = (text: string): string => `%${escapeLike(text)}%`

/** Ids of keys whose names contain a text. An account has a few hundred at most. */
async function keysNamed(pool: Pool, accountId: string, pattern: string): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>('select id from api_key where account_id = $1 and name ilike $2', [
    accountId,
    pattern,
  ])
  return rows.map(({ id }) => id)
}

/** Conditions on a row `r` of usage_record, and their values, starting at `$first`. */
export interface Conditions {
  sql: string
  values: unknown[]
}

/** The conditions for a matching row, regardless of the index that found it. */
export async function conditionsOf(pool: Pool, accountId: string, filter: RequestFilter, first: number): Promise<Conditions> {
  const values: unknown[] = []
  const parts: string[] = []
  const add = (value: unknown, part: (name: string) => string) => {
    if (value === null) return
    values.push(value)
    parts.push(part(`$${first + values.length - 1}`))
  }
  add(filter.from, (name) => `r.at >= ${name}`)
  add(filter.to, (name) => `r.at < ${name}`)
  add(filter.models.length > 0 ? filter.models : null, (name) => `r.model_id = any(${name})`)
  add(filter.keyId, (name) => `r.key_id = ${name}`)
  add(filter.errorCode, (name) => `r.error_code = ${name}`)
  add(filter.endpoint, (name) => `r.endpoint = ${name}`)
  add(filter.stream, (name) => `r.stream = ${name}`)
  add(filter.minNano, (name) => `r.charged_nano >= ${name}`)
  add(filter.minTookMs, (name) => `r.took_ms >= ${name}`)
  if (filter.status !== null) parts.push(filter.status === 'error' ? 'r.status >= 400' : 'r.status < 400')
  if (filter.search?.in === 'record') {
    const pattern = patternOf(filter.search.text)
    const keys = await keysNamed(pool, accountId, pattern)
    values.push(pattern, keys)
    const [text, ids] = [`$${first + values.length - 2}`, `$${first + values.length - 1}`]
    const matches = SEARCHED_COLUMNS.map((column) => `r.${column} ilike ${text}`)
    parts.push(`(${[...matches, `r.key_id = any(${ids}::text[])`].join(' or ')})`)
  }
  return { sql: ['true', ...parts].join(' and '), values }
}

const SEARCHED_COLUMNS = ['model_id', 'error_code', 'error_text', 'finish_reason']
const COLUMNS = `u.id, u.at, u.model_id, u.key_id, u.endpoint, u.stream, u.status, u.outcome, u.error_code, u.error_text,
  u.finish_reason, u.input_units, u.output_units, u.took_ms, u.charged_nano`

/**
 * The rows of ranges of ids, newest first, at most `maxRows`. The limit is also in the inner part, where it makes PostgreSQL walk
 * along the index instead of sorting. Failed rows have an index of their own. Values: $1 the account, $2 and $3 the ids, $4 and
 * $5 the times of the ranges.
 */
export function scanSql(filter: RequestFilter, maxRows: number, ranges: number): string {
  const failed = filter.status === 'error' ? 'and u.status >= 400' : ''
  const rangeSql = (low: string, high: string, since: string, until: string) => `
    select ${COLUMNS} from usage_record u
    where u.account_id = $1 and u.id >= ${low} and u.id < ${high} and u.at >= ${since} and u.at < ${until} ${failed}
    order by u.id desc limit ${maxRows}`
  // A single range is passed as values: PostgreSQL cannot estimate how many rows a range from a list has.
  if (ranges === 1) return rangeSql('($2::text[])[1]', '($3::text[])[1]', '($4::timestamptz[])[1]', '($5::timestamptz[])[1]')
  return `
  select u.* from (
    select * from unnest($2::text[], $3::text[], $4::timestamptz[], $5::timestamptz[])
      with ordinality as g (low, high, since, until, place) order by place
  ) g cross join lateral (${rangeSql('g.low', 'g.high', 'g.since', 'g.until')}
  ) u limit ${maxRows}`
}

/** The values $1 to $5 of scanSql(). */
export const rangeValues = (accountId: string, ranges: readonly IdRange[]): unknown[] => [
  accountId,
  ranges.map(({ low }) => low),
  ranges.map(({ high }) => high),
  ranges.map(({ from }) => from),
  ranges.map(({ to }) => to),
]

interface ScanRow {
  scanned: string
  last: string | null
  id: string | null
  at: Date
  model_id: string
  key_id: string
  key_name: string | null
  endpoint: string
  stream: boolean
  status: number
  outcome: string
  error_code: string | null
  error_text: string | null
  input_units: string
  output_units: string
  took_ms: number
  charged_nano: string
  receipt: unknown
}

const recordOf = (row: ScanRow & { id: string }): RequestRecord => ({
  id: row.id,
  at: row.at,
  modelId: row.model_id,
  keyId: row.key_id,
  keyName: row.key_name ?? '',
  endpoint: row.endpoint,
  stream: row.stream,
  status: row.status,
  outcome: row.outcome,
  errorCode: row.error_code,
  errorText: row.error_text,
  inputUnits: BigInt(row.input_units),
  outputUnits: BigInt(row.output_units),
  tookMs: row.took_ms,
  chargedNano: BigInt(row.charged_nano),
  receipt: row.receipt,
})

export interface Chunk {
  /** The matching ones, newest first. */
  records: RequestRecord[]
  /** How many rows were searched, and the oldest of them. */
  scanned: number
  last: string | null
}

/** Searches that many of the newest rows of the ranges. Returns the `wanted` newest matches. */
export async function scanChunk(
  pool: Pool,
  accountId: string,
  filter: RequestFilter,
  ranges: readonly IdRange[],
  conditions: Conditions,
  size: number,
  wanted: number,
): Promise<Chunk> {
  const { rows } = await pool.query<ScanRow>(
    `with seen as materialized (${scanSql(filter, size, ranges.length)})
     select s.scanned, s.last, r.*, k.name as key_name, p.receipt
       from (select count(*) as scanned, min(id) as last from seen) s
       left join lateral (select * from seen r where ${conditions.sql} order by r.id desc limit ${wanted}) r on true
       left join api_key k on k.id = r.key_id and k.account_id = $1
       left join usage_record p on p.id = r.id and p.at = r.at and r.input_units + r.output_units = 0 and r.status < 400
      order by r.id desc`,
    [...rangeValues(accountId, ranges), ...conditions.values],
  )
  const found = rows.filter((row): row is ScanRow & { id: string } => row.id !== null)
  return { records: found.map(recordOf), scanned: Number(rows[0]?.scanned ?? 0), last: rows[0]?.last ?? null }
}
