import type { Pool } from 'pg'
import type { DayUsage, KeyUsage, Steps, UsageSums } from '../services/ports.ts'

const BY_KEY = `
  select key_id, sum(requests) as requests, sum(charged_nano) as spent,
    coalesce(sum(charged_nano) filter (where hour >= $2), 0) as spent_month
  from usage_hour where account_id = $1 group by key_id`

// Cached units are a part of the input's, as reasoning is of the output's.
const BY_DAY = `
  select to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as day, model_id,
    sum(requests) as requests, sum(errors) as errors, sum(charged_nano) as charged,
    sum(input_units + output_units) as tokens,
    sum(first_token_ms) as first_token_ms, sum(first_tokens) as first_tokens, sum(own_ms) as own_ms
  from usage_hour where account_id = $1 and hour >= $2
  group by 1, 2 order by 1, 2`

const SPENT = `
  select coalesce(sum(charged_nano) filter (where hour >= $2 and hour < $3), 0) as first,
    coalesce(sum(charged_nano) filter (where hour >= $4 and hour < $5), 0) as second
  from usage_hour where account_id = $1 and hour >= least($2, $4::timestamptz)`

// The rows are chosen before the median, so that it costs the same however many requests there are.
const MEDIAN = `
  select percentile_cont(0.5) within group (order by first_token_ms) as median
  from (
    select first_token_ms from usage_record
    where account_id = $1 and at >= $2 order by id desc limit $3
  ) newest`

const STEPS = `
  select
    exists (select from entry where account_id = $1 and kind in ('grant', 'top_up')) as credited,
    exists (select from api_key where account_id = $1) as key,
    exists (select from usage_hour where account_id = $1) as call,
    exists (
      select from api_key where account_id = $1 and (limit_total_nano is not null or limit_month_nano is not null)
    ) as "limit"`

interface DayRow {
  day: string
  model_id: string
  requests: string
  errors: string
  charged: string
  tokens: string
  first_token_ms: number
  first_tokens: string
  own_ms: number
}

const dayOf = (row: DayRow): DayUsage => ({
  day: row.day,
  model: row.model_id,
  requests: BigInt(row.requests),
  errors: BigInt(row.errors),
  tokens: BigInt(row.tokens),
  chargedNano: BigInt(row.charged),
  firstTokenMs: row.first_token_ms,
  firstTokens: BigInt(row.first_tokens),
  ownMs: row.own_ms,
})

/** Sums over an account's hourly rollups, which are written in the commit that writes the records. */
export function createUsageSums(pool: Pool): UsageSums {
  return {
    async byKey(accountId, monthStart) {
      type Row = { key_id: string; requests: string; spent: string; spent_month: string }
      const { rows } = await pool.query<Row>(BY_KEY, [accountId, monthStart])
      const usageOf = (row: Row): KeyUsage => ({
        requests: BigInt(row.requests),
        spentNano: BigInt(row.spent),
        spentMonthNano: BigInt(row.spent_month),
      })
      return new Map(rows.map((row) => [row.key_id, usageOf(row)]))
    },
    async byDay(accountId, from) {
      const { rows } = await pool.query<DayRow>(BY_DAY, [accountId, from])
      return rows.map(dayOf)
    },
    async spent(accountId, [one, two]) {
      const { rows } = await pool.query<{ first: string; second: string }>(SPENT, [accountId, one.from, one.to, two.from, two.to])
      return [BigInt(rows[0]?.first ?? 0), BigInt(rows[0]?.second ?? 0)]
    },
    async firstTokenMedian(accountId, from, count) {
      const { rows } = await pool.query<{ median: number | null }>(MEDIAN, [accountId, from, count])
      return rows[0]?.median ?? null
    },
    async steps(accountId) {
      const { rows } = await pool.query<Steps>(STEPS, [accountId])
      return rows[0] ?? { credited: false, key: false, call: false, limit: false }
    },
  }
}
