import type { Pool } from 'pg'
import { HOUR_MS } from '../../domain/time-units.ts'
import type { PieceCounts } from '../../services/usage/usage-ports.ts'
import { idAbove, lowestIdAt } from '../request-ranges.ts'

/** How many hours of requests one statement reads, so that each statement stays short. */
const HOURS_AT_ONCE = 24
/** Kinds of models that are counted in tokens only, apart from the searches of chats. */
const TOKEN_MODALITIES: ReadonlySet<string> = new Set(['chat', 'completion', 'embedding'])

export interface PiecesColumns {
  images: string | null
  characters: string | null
  audio_seconds: string | null
  video_seconds: string | null
  web_searches: string | null
}

const sumOf = (unit: string, column: string) => `sum(count) filter (where unit = '${unit}') as ${column}`
const SUMS = [
  sumOf('image', 'images'),
  sumOf('character', 'characters'),
  sumOf('audio_second', 'audio_seconds'),
  sumOf('video_second', 'video_seconds'),
  sumOf('web_search', 'web_searches'),
].join(', ')

/** The lines of a receipt, as its own shape has them. Receipts are read by newer code than wrote them, so no other may fail. */
const linesOf = (receipt: string) => `
  select split_part(line->>'unit', ':', 1) as unit,
    case when line->>'count' ~ '^\\d{1,18}$' then (line->>'count')::bigint else 0 end as count
  from json_array_elements(case json_typeof(${receipt}->'lines') when 'array' then ${receipt}->'lines' else '[]' end) line`

/** A query of one row, with the counts of a receipt. */
export const piecesIn = (receipt: string): string => `select ${SUMS} from (${linesOf(receipt)}) lines`

export const piecesOf = (row: PiecesColumns | undefined): PieceCounts => ({
  images: BigInt(row?.images ?? 0),
  characters: BigInt(row?.characters ?? 0),
  audioSeconds: BigInt(row?.audio_seconds ?? 0),
  videoSeconds: BigInt(row?.video_seconds ?? 0),
  webSearches: BigInt(row?.web_searches ?? 0),
})

// The ids lead to a place in the index, and the times to the partitions.
const OF_HOURS = `
  select hour, key_id, model_id, ${SUMS}
  from unnest($2::timestamptz[], $3::text[], $4::text[]) as h (hour, low, high)
  cross join lateral (
    select key_id, model_id, receipt from usage_record
    where account_id = $1 and id >= low and id < high and at >= hour and at < hour + interval '1 hour' and model_id = any ($5)
  ) used
  cross join lateral (${linesOf('receipt')}) lines
  group by 1, 2, 3`

interface HourKey {
  hour: Date
  key_id: string
  model_id: string
}

const nameOf = ({ hour, key_id, model_id }: HourKey) => JSON.stringify([hour.getTime(), key_id, model_id])

/**
 * Counts what an account used in these hours, from the receipts of the requests, because usage by the hour has tokens only.
 * Nothing is read for models that are counted in tokens only.
 */
export async function countHourPieces(
  pool: Pool,
  accountId: string,
  rows: readonly (HourKey & { modality: string })[],
): Promise<(row: HourKey) => PieceCounts> {
  const counted = rows.filter(({ modality }) => !TOKEN_MODALITIES.has(modality))
  const models = [...new Set(counted.map((row) => row.model_id))]
  const hours = [...new Set(counted.map(({ hour }) => hour.getTime()))].map((ms) => new Date(ms))
  const found = new Map<string, PieceCounts>()
  for (let start = 0; start < hours.length; start += HOURS_AT_ONCE) {
    const part = hours.slice(start, start + HOURS_AT_ONCE)
    const ends = part.map((hour) => idAbove(new Date(hour.getTime() + HOUR_MS)))
    const values = [accountId, part, part.map(lowestIdAt), ends, models]
    const { rows: sums } = await pool.query<HourKey & PiecesColumns>(OF_HOURS, values)
    for (const row of sums) found.set(nameOf(row), piecesOf(row))
  }
  return (row) => found.get(nameOf(row)) ?? piecesOf(undefined)
}
