import type { ModelRow } from '#lib/contracts/catalog'
import { charge } from '#lib/domain/money'
import { hasRate, parseRates, rateOf } from '#lib/domain/price'
import type { Unit } from '#lib/domain/usage'
import { unitPrices } from './rates.ts'

/** The input of the calculator: how much of each unit one request uses, and the number of requests. */
export interface EstimateInput {
  /** By unit. `image` stands for the selected `variant`. */
  counts: Readonly<Record<string, bigint>>
  /** One of the image units of a price. */
  variant: string
  requests: bigint
}

export interface Estimate {
  lines: { unit: string; count: bigint; amount: bigint }[]
  /** The cost of one request and of all requests, in nano-dollars. */
  perRequest: bigint
  total: bigint
  /** The units that this model does not sell. They are not in the totals. */
  unpricedUnits: string[]
}

const isImage = (unit: string): boolean => unit === 'image' || unit.startsWith('image:')

/** The quantities that can be entered for these models, and the image variants to choose from. */
export function quantitiesOf(models: readonly Pick<ModelRow, 'rates'>[]): { units: string[]; variants: string[] } {
  const listed = [...new Set(models.flatMap((model) => Object.keys(model.rates)))]
  const merged = Object.fromEntries(listed.map((unit) => [unit, '0']))
  const ordered = unitPrices({ rates: merged }, 10_000n).map(({ unit }) => unit)
  const variants = ordered.filter(isImage)
  // A request is counted once. The number of requests is a separate field.
  return {
    units: [...new Set(ordered.map((unit) => (isImage(unit) ? 'image' : unit)))].filter((unit) => unit !== 'request'),
    variants,
  }
}

/**
 * Estimates what a model would charge, with the same arithmetic as the ledger: each line of a request is rounded up once, and a
 * hundred requests cost a hundred times one of them.
 */
export function estimate(
  model: Pick<ModelRow, 'rates'>,
  { counts, variant, requests }: EstimateInput,
  multiplierBp: bigint,
): Estimate {
  const rates = parseRates(model.rates)
  const nonZero = Object.entries(counts).filter(([, count]) => count > 0n)
  const used: [string, bigint][] = nonZero.map(([unit, count]) => [unit === 'image' ? variant : unit, count])
  if (rates.request !== undefined) used.push(['request', 1n])
  const priced = used.filter(([unit]) => hasRate(rates, unit as Unit))
  const lines = priced.map(([unit, count]) => ({ unit, count, amount: charge(count, rateOf(rates, unit as Unit), multiplierBp) }))
  const perRequest = lines.reduce((sum, { amount }) => sum + amount, 0n)
  return {
    lines,
    perRequest,
    total: perRequest * requests,
    unpricedUnits: used.filter(([unit]) => !hasRate(rates, unit as Unit)).map(([unit]) => unit),
  }
}
