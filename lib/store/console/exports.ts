import type { Pool } from 'pg'
import type { HourRow, PieceCounts, RecordRow, UsageExports } from '../../services/usage/usage-ports.ts'
import { lowestIdAt } from '../request-ranges.ts'
import { countHourPieces, type PiecesColumns, piecesIn, piecesOf } from './piece-counts.ts'
import { filterCondition, filterParameters } from './reports.ts'

// Row comparisons and order are those of the primary key, so each page is a walk along it.
const HOURS = `
  select hour, key_id, model_id, coalesce((select modality from model m where m.id = model_id), '') as modality,
    requests, errors, input_units, cached_units, output_units, charged_nano
  from usage_hour
  where account_id = $1 and hour >= $2 and hour < $3
    and ($4::timestamptz is null or (hour, key_id, model_id) > ($4, $5, $6)) and ${filterCondition(7)}
  order by hour, key_id, model_id limit $10`

// The bounds of the id lead to a place in the index, those of the time to the partitions.
const RECORDS = `
  select id, at, key_id, model_id, endpoint, stream, status, outcome, error_code, finish_reason, input_units, cached_units,
    output_units, reasoning_units, charged_nano, estimated, first_token_ms, took_ms, own_ms, pieces.*
  from usage_record cross join lateral (${piecesIn('receipt')}) pieces
  where account_id = $1 and at >= $2 and at < $3 and id > $4 and ${filterCondition(5)}
  order by id limit $8`

interface UnitRow {
  key_id: string
  model_id: string
  input_units: string
  cached_units: string
  output_units: string
  charged_nano: string
}

type StoredHour = UnitRow & { hour: Date; modality: string; requests: string; errors: string }
type StoredRecord = UnitRow &
  PiecesColumns & {
    id: string
    at: Date
    endpoint: string
    stream: boolean
    status: number
    outcome: string
    error_code: string | null
    finish_reason: string | null
    reasoning_units: string
    estimated: boolean
    first_token_ms: number | null
    took_ms: number
    own_ms: number
  }

const unitsOf = (row: UnitRow) => ({
  keyId: row.key_id,
  model: row.model_id,
  inputUnits: BigInt(row.input_units),
  cachedUnits: BigInt(row.cached_units),
  outputUnits: BigInt(row.output_units),
  chargedNano: BigInt(row.charged_nano),
})

const hourOf = (row: StoredHour, pieces: PieceCounts): HourRow => ({
  ...unitsOf(row),
  ...pieces,
  hour: row.hour,
  modality: row.modality,
  requests: BigInt(row.requests),
  errors: BigInt(row.errors),
})

const recordOf = (row: StoredRecord): RecordRow => ({
  ...unitsOf(row),
  ...piecesOf(row),
  id: row.id,
  at: row.at,
  endpoint: row.endpoint,
  stream: row.stream,
  status: row.status,
  outcome: row.outcome,
  errorCode: row.error_code,
  finishReason: row.finish_reason,
  reasoningUnits: BigInt(row.reasoning_units),
  estimated: row.estimated,
  firstTokenMs: row.first_token_ms,
  tookMs: row.took_ms,
  ownMs: row.own_ms,
})

/** Usage, for exports. */
export function createUsageExports(pool: Pool): UsageExports {
  return {
    async hours(accountId, { from, to }, filter, after, rows) {
      const cursor = after === null ? [null, null, null] : [after.hour, after.keyId, after.model]
      const parameters = [accountId, from, to, ...cursor, ...filterParameters(filter), rows]
      const stored = (await pool.query<StoredHour>(HOURS, parameters)).rows
      const pieces = await countHourPieces(pool, accountId, stored)
      return stored.map((row) => hourOf(row, pieces(row)))
    },
    async records(accountId, { from, to }, filter, afterId, rows) {
      const first = afterId ?? lowestIdAt(from)
      const parameters = [accountId, from, to, first, ...filterParameters(filter), rows]
      return (await pool.query<StoredRecord>(RECORDS, parameters)).rows.map(recordOf)
    },
  }
}
