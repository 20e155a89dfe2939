import { NAMED_MODELS, type Overview } from '#lib/contracts/overview'
import { HOUR_MS } from '../../domain/time-units.ts'
import type { Ctx } from '../ports.ts'
import { addDays, dayOf, startOfDay, startOfHour } from '../utc.ts'
import type { DayUsage } from './usage-ports.ts'

const SPEND_RATE_DAYS = 7
const MEDIAN_ROWS = 2000

/** Sums of a set of rollup rows. */
interface Sums {
  requests: bigint
  errors: bigint
  tokens: bigint
  nano: bigint
  firstTokenMs: number
  firstTokens: bigint
  ownMs: number
}

function sumOf(rows: DayUsage[]): Sums {
  const sums: Sums = { requests: 0n, errors: 0n, tokens: 0n, nano: 0n, firstTokenMs: 0, firstTokens: 0n, ownMs: 0 }
  for (const row of rows) {
    sums.requests += row.requests
    sums.errors += row.errors
    sums.tokens += row.tokens
    sums.nano += row.chargedNano
    sums.firstTokenMs += row.firstTokenMs
    sums.firstTokens += row.firstTokens
    sums.ownMs += row.ownMs
  }
  return sums
}

/** A mean, not a median: the rollups hold only sums and counts. Null if there is nothing to divide by. */
const mean = (sum: number, count: bigint): number | null => (count > 0n ? sum / Number(count) : null)

const bySpendDescending = (a: { nano: string; requests: number }, b: { nano: string; requests: number }): number =>
  Number(BigInt(b.nano) - BigInt(a.nano)) || b.requests - a.requests

/** Usage of the named models on a day, and of all others together. A year of many models would be too much for one page. */
function dayModels(ofDay: DayUsage[], named: string[]): Overview['days'][number]['models'] {
  const groups = Map.groupBy(ofDay, (row) => (named.includes(row.model) ? row.model : ''))
  const models = [...groups].map(([model, rows]) => {
    const sums = sumOf(rows)
    return {
      model,
      nano: sums.nano.toString(),
      tokens: Number(sums.tokens),
      requests: Number(sums.requests),
      errors: Number(sums.errors),
    }
  })
  return models.sort(bySpendDescending)
}

function daysView(rows: DayUsage[], from: Date, count: number, named: string[]): Overview['days'] {
  const byDay = Map.groupBy(rows, (row) => row.day)
  return Array.from({ length: count }, (_, at) => {
    const day = dayOf(addDays(from, at))
    const ofDay = byDay.get(day) ?? []
    const sums = sumOf(ofDay)
    return { day, models: dayModels(ofDay, named), firstTokenMs: mean(sums.firstTokenMs, sums.firstTokens) }
  })
}

function modelsView(rows: DayUsage[]): Overview['models'] {
  const models = [...Map.groupBy(rows, (row) => row.model)].map(([model, ofModel]) => {
    const sums = sumOf(ofModel)
    return {
      model,
      requests: Number(sums.requests),
      tokens: Number(sums.tokens),
      firstTokenMs: mean(sums.firstTokenMs, sums.firstTokens),
      nano: sums.nano.toString(),
    }
  })
  return models.sort(bySpendDescending)
}

/** How many days a balance lasts, to a hundredth; null if nothing was spent. */
function daysLeft(balanceNano: bigint, spentNano: bigint): number | null {
  return spentNano > 0n ? Number((balanceNano * BigInt(SPEND_RATE_DAYS) * 100n) / spentNano) / 100 : null
}

/**
 * Returns everything the overview page shows, over the last `days` UTC days including today. The previous spending covers an
 * equally long period: in the afternoon, the previous period also ends in the afternoon.
 */
export async function getOverview({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'purses' | 'usage' | 'wallet' | 'catalog' | 'stripe'>
  input: { days: 1 | 7 | 30 | 90 }
}): Promise<Overview> {
  const { accountId } = ctx.user
  const now = ctx.clock.now()
  const from = addDays(startOfDay(now), 1 - input.days)
  // Rollups are by hour: the current hour counts in full on both sides.
  const hour = startOfHour(now)
  const hourEnd = new Date(hour.getTime() + HOUR_MS)
  // Two rounds of three queries: one page must not take the whole pool from the gateway.
  const [rows, median, [previouslySpent, recentlySpent]] = await Promise.all([
    ctx.usage.byDay(accountId, from),
    ctx.usage.firstTokenMedian(accountId, from, MEDIAN_ROWS),
    ctx.usage.spent(accountId, [
      { from: addDays(from, -input.days), to: addDays(hourEnd, -input.days) },
      { from: addDays(hour, -SPEND_RATE_DAYS), to: hourEnd },
    ]),
  ])
  const [purse, steps, groups] = await Promise.all([
    ctx.purses.sums(accountId),
    ctx.usage.onboardingSteps(accountId),
    ctx.catalog.groups(accountId),
  ])
  const held = await ctx.wallet.held(accountId)
  const sums = sumOf(rows)
  const models = modelsView(rows)
  const offered = new Set(groups.flatMap((group) => group.models))
  const named = models.slice(0, NAMED_MODELS).map(({ model }) => model)
  return {
    balanceNano: purse.balanceNano.toString(),
    heldNano: held.nano.toString(),
    heldRequests: held.requests,
    heldTasks: held.tasks,
    owedNano: purse.owedNano.toString(),
    payable: ctx.stripe.configured,
    daysLeft: daysLeft(purse.balanceNano, recentlySpent),
    paceNano: (recentlySpent / BigInt(SPEND_RATE_DAYS)).toString(),
    spentNano: sums.nano.toString(),
    spentBeforeNano: previouslySpent.toString(),
    requests: Number(sums.requests),
    errors: Number(sums.errors),
    firstTokenMs: median,
    ownMs: mean(sums.ownMs, sums.requests),
    days: daysView(rows, from, input.days, named),
    models,
    modelsUsed: models.filter(({ model }) => offered.has(model)).length,
    modelsAvailable: offered.size,
    steps,
  }
}
