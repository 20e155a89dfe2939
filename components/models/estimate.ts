import type { ModelRow } from '#lib/contracts/catalog'
import { charge } from '#lib/domain/money'
import { type Rates, rateOf } from '#lib/domain/price'
import type { Unit } from '#lib/domain/usage'
import { ratesOf, sells, unitPrices } from './rates.ts'

/** What the calculator is asked: how much of each unit one request uses, and how many requests there are. */
export interface Ask {
  /** By unit; `image` stands for whichever `variant` is chosen. */
  counts: Readonly<Record<string, bigint>>
  /** One of the image units that a price lists. */
  variant: string
  requests: bigint
}

export interface Estimate {
  lines: { unit: string; count: bigint; amount: bigint }[]
  /** Nano-dollars of one request and of all of them. */
  one: bigint
  all: bigint
  /** What was asked for and this model does not sell: it is not in the sums. */
  unsold: string[]
}

const isImage = (unit: string): boolean => unit === 'image' || unit.startsWith('image:')

/** The quantities to ask for, for these models together, and the kinds of images among which to choose. */
export function quantitiesOf(models: readonly Pick<ModelRow, 'rates'>[]): { units: string[]; variants: string[] } {
  const listed = [...new Set(models.flatMap((model) => Object.keys(model.rates)))]
  const merged = Object.fromEntries(listed.map((unit) => [unit, '0']))
  const ordered = unitPrices({ rates: merged }, 10_000n).map(({ unit }) => unit)
  const variants = ordered.filter(isImage)
  // A request is one request; how many of them there are is asked apart.
  return {
    units: [...new Set(ordered.map((unit) => (isImage(unit) ? 'image' : unit)))].filter((unit) => unit !== 'request'),
    variants,
  }
}

/**
 * What a model would charge. The arithmetic is the ledger's own: each line of a request is rounded up once, and a
 * hundred requests cost a hundred times one of them.
 */
export function estimate(model: Pick<ModelRow, 'rates'>, { counts, variant, requests }: Ask, multiplierBp: bigint): Estimate {
  const rates: Rates = ratesOf(model)
  const asked = Object.entries(counts).filter(([, count]) => count > 0n)
  const used: [string, bigint][] = asked.map(([unit, count]) => [unit === 'image' ? variant : unit, count])
  if (rates.request !== undefined) used.push(['request', 1n])
  const sold = used.filter(([unit]) => sells(rates, unit as Unit))
  const lines = sold.map(([unit, count]) => ({ unit, count, amount: charge(count, rateOf(rates, unit as Unit), multiplierBp) }))
  const one = lines.reduce((sum, { amount }) => sum + amount, 0n)
  return { lines, one, all: one * requests, unsold: used.filter(([unit]) => !sells(rates, unit as Unit)).map(([unit]) => unit) }
}
