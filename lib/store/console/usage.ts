import type { Pool } from 'pg'
import type { DayUsage, KeyUsage, OnboardingSteps, TimeSpan, UsageSums } from '../../services/usage/usage-ports.ts'
import { lowestIdAt } from '../request-ranges.ts'
import { ALL_TIME, SPAN_ROWS, spanParameters } from '../usage-spans.ts'

const BY_KEY = `
  select key_id, sum(requests) as requests, sum(charged_nano) as spent,
    coalesce(sum(charged_nano) filter (where start >= $10), 0) as spent_month
  from ${SPAN_ROWS} used group by key_id`

const ONE_KEY = `
  select key_id, sum(requests) as requests, sum(charged_nano) as spent,
    coalesce(sum(charged_nano) filter (where start >= $10), 0) as spent_month
  from ${SPAN_ROWS} used where key_id = $11 group by key_id`

// Cached units are part of the input's, and reasoning is part of the output's.
const BY_DAY = `
  select to_char(start at time zone 'UTC', 'YYYY-MM-DD') as day, model_id,
    sum(requests) as requests, sum(errors) as errors, sum(charged_nano) as charged,
    sum(input_units + output_units) as tokens,
    sum(first_token_ms) as first_token_ms, sum(first_tokens) as first_tokens, sum(own_ms) as own_ms
  from ${SPAN_ROWS} used group by 1, 2 order by 1, 2`

const SPENT = `select coalesce(sum(charged_nano), 0) as spent from ${SPAN_ROWS} used`

// The rows are selected before the median, so that it costs the same for any number of requests. If there are fewer than wanted
// since then, the bound on their ids ends the walk along the index.
const MEDIAN = `
  select percentile_cont(0.5) within group (order by first_token_ms) as median
  from (
    select first_token_ms from usage_record
    where account_id = $1 and at >= $2 and id >= $4 order by id desc limit $3
  ) newest`

const STEPS = `
  select
    exists (select from entry where account_id = $1 and kind in ('grant', 'top_up')) as credited,
    exists (select from api_key where account_id = $1 and purpose = 'api') as key,
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

interface KeySums {
  key_id: string
  requests: string
  spent: string
  spent_month: string
}

const usageOf = (row: KeySums): KeyUsage => ({
  requests: BigInt(row.requests),
  spentNano: BigInt(row.spent),
  spentMonthNano: BigInt(row.spent_month),
})

/**
 * Sums over an account's hourly rollups, written in the same transaction as the records, and over the days and months made of
 * them.
 */
export function createUsageSums(pool: Pool): UsageSums {
  const spentIn = async (accountId: string, period: TimeSpan): Promise<bigint> => {
    const { rows } = await pool.query<{ spent: string }>(SPENT, spanParameters(accountId, period, 'day', 'model'))
    return BigInt(rows[0]?.spent ?? 0)
  }
  return {
    async byKey(accountId, monthStart) {
      const { rows } = await pool.query<KeySums>(BY_KEY, [...spanParameters(accountId, ALL_TIME, 'month', 'key'), monthStart])
      return new Map(rows.map((row) => [row.key_id, usageOf(row)]))
    },
    async ofKey(accountId, keyId, monthStart) {
      const { rows } = await pool.query<KeySums>(ONE_KEY, [
        ...spanParameters(accountId, ALL_TIME, 'month', 'key'),
        monthStart,
        keyId,
      ])
      return rows[0] && usageOf(rows[0])
    },
    async byDay(accountId, from) {
      const { rows } = await pool.query<DayRow>(BY_DAY, spanParameters(accountId, { from, to: ALL_TIME.to }, 'day', 'model'))
      return rows.map(dayOf)
    },
    async spent(accountId, [one, two]) {
      return [await spentIn(accountId, one), await spentIn(accountId, two)]
    },
    async firstTokenMedian(accountId, from, count) {
      const { rows } = await pool.query<{ median: number | null }>(MEDIAN, [accountId, from, count, lowestIdAt(from)])
      return rows[0]?.median ?? null
    },
    async onboardingSteps(accountId) {
      const { rows } = await pool.query<OnboardingSteps>(STEPS, [accountId])
      return rows[0] ?? { credited: false, key: false, call: false, limit: false }
    },
  }
}
