import { MAX_SERIES, type UsageMeasure, type UsageQuery, type UsageReport } from '#lib/contracts/usage'
import type { Ctx } from '../ports.ts'
import { startOf, startOfNext } from '../utc.ts'
import { filterOf, periodOf } from './usage-period.ts'
import type { UsageAmounts, UsageCell, UsageSpan, UsageUnit } from './usage-ports.ts'

const valueOfMeasure: Record<UsageMeasure, (amounts: UsageAmounts) => bigint> = {
  money: (amounts) => amounts.chargedNano,
  tokens: (amounts) => amounts.tokens,
  requests: (amounts) => amounts.requests,
  errors: (amounts) => amounts.errors,
}

const amountsView = ({ chargedNano, tokens, requests, errors }: UsageAmounts) => ({
  nano: chargedNano.toString(),
  tokens: Number(tokens),
  requests: Number(requests),
  errors: Number(errors),
})

function sumOf(all: Iterable<UsageAmounts>): UsageAmounts {
  const sum = { chargedNano: 0n, tokens: 0n, requests: 0n, errors: 0n }
  for (const { chargedNano, tokens, requests, errors } of all) {
    sum.chargedNano += chargedNano
    sum.tokens += tokens
    sum.requests += requests
    sum.errors += errors
  }
  return sum
}

/** Groups with their sums, largest first. Ties are in alphabetical order, so that colors do not jump. */
function groupsOf(cells: UsageCell[], measure: UsageMeasure): [string, UsageAmounts][] {
  const groups = [...Map.groupBy(cells, (cell) => cell.group)].map(([id, own]): [string, UsageAmounts] => [id, sumOf(own)])
  const size = valueOfMeasure[measure]
  return groups.sort(([oneId, one], [twoId, two]) => {
    const more = size(two) - size(one)
    return more > 0n ? 1 : more < 0n ? -1 : oneId < twoId ? -1 : 1
  })
}

function bucketsOf(cells: UsageCell[], named: string[], { from, to }: UsageSpan, unit: UsageUnit, measure: UsageMeasure) {
  const hasOther = new Set(cells.map((cell) => cell.group)).size > named.length
  const byTime = Map.groupBy(cells, (cell) => cell.at.getTime())
  const buckets = []
  for (let at = startOf(from, unit); at < to; at = startOfNext(at, unit)) {
    const values = Array.from({ length: named.length + (hasOther ? 1 : 0) }, () => 0n)
    for (const cell of byTime.get(at.getTime()) ?? []) {
      const series = named.indexOf(cell.group)
      const index = series === -1 ? named.length : series
      values[index] = (values[index] ?? 0n) + valueOfMeasure[measure](cell)
    }
    buckets.push({ at: at.toISOString(), values: values.map(String) })
  }
  return buckets
}

/**
 * Returns an account's usage in a period, by time and by model, key or modality, with the previous period for comparison.
 * Errors: `invalid_input` (range, from, to).
 */
export async function getUsage({ ctx, input }: { ctx: Ctx<'clock' | 'usageReports'>; input: UsageQuery }): Promise<UsageReport> {
  const { accountId } = ctx.user
  const { span, unit, before } = periodOf(input, ctx.clock.now())
  const filter = filterOf(input)
  const [cells, earlier, names] = await Promise.all([
    ctx.usageReports.cells(accountId, span, unit, input.by, filter),
    ctx.usageReports.sums(accountId, before, unit, filter),
    input.by === 'key' ? ctx.usageReports.keyNames(accountId) : new Map<string, string>(),
  ])
  const groups = groupsOf(cells, input.measure)
  const named = groups.slice(0, MAX_SERIES).map(([id]) => id)
  return {
    from: span.from.toISOString(),
    to: span.to.toISOString(),
    unit,
    by: input.by,
    measure: input.measure,
    totals: amountsView(sumOf(groups.map(([, amounts]) => amounts))),
    before: amountsView(earlier),
    groups: groups.map(([id, amounts]) => ({ id, name: names.get(id) ?? id, ...amountsView(amounts) })),
    buckets: bucketsOf(cells, named, span, unit, input.measure),
  }
}
