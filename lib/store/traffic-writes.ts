import type pg from 'pg'
import type { Count, Grain, Span } from '../domain/traffic.ts'

/** A row of traffic to add to what is stored. Buckets are packed as in lib/domain/histogram.ts. */
export type TrafficRow = Record<Count, number> & {
  span: Span
  grain: Grain
  at: Date
  id: string
  first_buckets: number[]
  took_buckets: number[]
}

/** Adds a batch of a process. A repeated batch adds nothing. A process numbers its batches upward. */
export async function addTraffic(pool: pg.Pool, writer: string, batch: number, rows: readonly TrafficRow[]): Promise<void> {
  await pool.query({
    name: 'add_traffic',
    text: 'SELECT add_traffic($1, $2, $3::json)',
    values: [writer, batch, JSON.stringify(rows)],
  })
}

/** Adds up the days that are over, and deletes minutes after two days and hours after ninety. Days are kept. */
export async function upkeepTraffic(pool: pg.Pool): Promise<void> {
  await pool.query('SELECT roll_traffic(now())')
  await pool.query(`DELETE FROM traffic WHERE span = 'minute' AND at < now() - interval '2 days'`)
  await pool.query(`DELETE FROM traffic WHERE span = 'hour' AND at < now() - interval '90 days'`)
  await pool.query(`DELETE FROM traffic_writer WHERE at < now() - interval '1 day'`)
}
