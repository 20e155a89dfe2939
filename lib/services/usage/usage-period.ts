import { MAX_DAYS, type UsageExportQuery, type UsageQuery } from '#lib/contracts/usage'
import { DAY_MS, HOUR_MS } from '../../domain/time-units.ts'
import { messageWith } from '../../messages/message.ts'
import { invalidField } from '../service-error.ts'
import { addDays, startOfDay, startOfHour, startOfNext } from '../utc.ts'
import type { UsageFilter, UsageSpan, UsageUnit } from './usage-ports.ts'

type PeriodChoice = Pick<UsageQuery & UsageExportQuery, 'range' | 'from' | 'to' | 'model' | 'key' | 'modality'>

export interface Period {
  span: UsageSpan
  unit: UsageUnit
  /** The previous span of the same length, up to the point that the current span has reached. */
  before: UsageSpan
}

const RANGE_DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const
/** The maximum number of days shown by hour, and by day. */
const MAX_HOURLY_DAYS = 2
const MAX_DAILY_DAYS = 92

function withPreviousPeriod(span: UsageSpan, unit: UsageUnit, now: Date): Period {
  const length = span.to.getTime() - span.from.getTime()
  // Usage is by hour: the current hour counts in full on both sides.
  const passed = Math.min(span.to.getTime(), startOfHour(now).getTime() + HOUR_MS)
  return { span, unit, before: { from: new Date(span.from.getTime() - length), to: new Date(passed - length) } }
}

function parseChosenDays({ from, to }: PeriodChoice, now: Date): { span: UsageSpan; days: number } {
  if (from === undefined) throw invalidField('from', 'Enter the first day as well, for example 2026-11-01.')
  if (to === undefined) throw invalidField('to', 'Enter the last day as well, for example 2026-11-30.')
  const span = { from: new Date(`${from}T00:00:00Z`), to: addDays(new Date(`${to}T00:00:00Z`), 1) }
  const days = Math.round((span.to.getTime() - span.from.getTime()) / DAY_MS)
  if (days < 1) throw invalidField('to', 'The last day is before the first. Choose a later one.')
  if (days > MAX_DAYS)
    throw invalidField('from', messageWith('That is more than {most} days. Choose a later first day.', { most: MAX_DAYS }))
  if (span.from > now) throw invalidField('from', 'This day has not begun yet in UTC. Choose an earlier one.')
  return { span, days }
}

/**
 * Returns the chosen period, in whole UTC hours, with the unit to show it in; 30 days by default.
 * Errors: `invalid_input` (from, to, range).
 */
export function periodOf(choice: PeriodChoice, now: Date): Period {
  if (choice.from !== undefined || choice.to !== undefined) {
    if (choice.range !== undefined) throw invalidField('range', 'Choose either a range or the days "from" and "to", not both.')
    const { span, days } = parseChosenDays(choice, now)
    return withPreviousPeriod(span, days <= MAX_HOURLY_DAYS ? 'hour' : days <= MAX_DAILY_DAYS ? 'day' : 'month', now)
  }
  const range = choice.range ?? '30d'
  if (range === '24h') {
    const to = startOfNext(now, 'hour')
    return withPreviousPeriod({ from: addDays(to, -1), to }, 'hour', now)
  }
  const to = addDays(startOfDay(now), 1)
  return withPreviousPeriod({ from: addDays(to, -RANGE_DAYS[range]), to }, 'day', now)
}

/** Converts the query's filters to the store's form. */
export const filterOf = (choice: PeriodChoice): UsageFilter => ({
  model: choice.model ?? null,
  keyId: choice.key ?? null,
  modality: choice.modality ?? null,
})
