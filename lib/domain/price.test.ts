import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { charge } from './money.ts'
import {
  type ModelPrice,
  maxInputRate,
  maxOutputRate,
  priceUsage,
  type Rates,
  rateOf,
  UnpricedUnitError,
  withSearchCost,
} from './price.ts'
import { NO_USAGE, type Usage } from './usage.ts'

const rate = fc.bigInt({ min: 0n, max: 10n ** 12n })
const sometimes = fc.option(rate, { nil: undefined })
const multiplier = fc.bigInt({ min: 0n, max: 100_000n })

/** Rates with the units that every price must name, and some of the others. */
const ratesOf = fc
  .tuple(rate, rate, sometimes, sometimes, sometimes, sometimes, sometimes)
  .map(([input, output, cached_input, cache_write, reasoning, image_output, request]) => {
    const all = { input, output, cached_input, cache_write, reasoning, image_output, request }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Rates
  })

const count = fc.bigInt({ min: 0n, max: 2_000_000n })
const usages: fc.Arbitrary<Usage> = fc
  .tuple(count, count, count, count, fc.nat(100), fc.constantFrom(0n, 1n))
  .map(([input, cachedInput, cacheWrite, output, share, requests]) => ({
    input,
    cachedInput,
    cacheWrite,
    output,
    reasoning: (output * BigInt(share)) / 100n,
    requests,
  }))

const priceOf = (rates: Rates, vendorRates: Rates = rates): ModelPrice => ({ id: 'p', from: new Date(0), rates, vendorRates })
const group = (multiplierBp: bigint) => ({ name: 'g', multiplierBp })
const exact = { exact: true } as const

describe('priceUsage', () => {
  it('lists each unit that was used once, at its rate, and their sum is the total', () => {
    fc.assert(
      fc.property(usages, ratesOf, multiplier, (usage, rates, multiplierBp) => {
        const { lines, total } = priceUsage(usage, priceOf(rates), group(multiplierBp), exact)
        expect(new Set(lines.map((line) => line.unit)).size).toBe(lines.length)
        for (const line of lines) {
          expect(line.count).toBeGreaterThan(0n)
          expect(line.price).toBe(rateOf(rates, line.unit))
          expect(line.amount).toBe(charge(line.count, line.price, multiplierBp))
        }
        expect(total).toBe(lines.reduce((sum, line) => sum + line.amount, 0n))
      }),
    )
  })

  it('counts every token once', () => {
    fc.assert(
      fc.property(usages, ratesOf, (usage, rates) => {
        const { lines } = priceUsage(usage, priceOf(rates), group(10_000n), exact)
        const tokens = lines.filter((line) => line.unit !== 'request').reduce((sum, line) => sum + line.count, 0n)
        expect(tokens).toBe(usage.input + usage.cachedInput + usage.cacheWrite + usage.output)
        const requests = lines.filter((line) => line.unit === 'request').reduce((sum, line) => sum + line.count, 0n)
        expect(requests).toBe(rates.request === undefined ? 0n : usage.requests)
      }),
    )
  })

  it('rounds each line up once: the total is above the exact price by less than a nano-dollar for each line', () => {
    fc.assert(
      fc.property(usages, ratesOf, multiplier, (usage, rates, multiplierBp) => {
        const { lines, total } = priceUsage(usage, priceOf(rates), group(multiplierBp), exact)
        const scaled = lines.reduce((sum, line) => sum + line.count * line.price * multiplierBp, 0n)
        expect(total * 10n ** 10n).toBeGreaterThanOrEqual(scaled)
        expect(total * 10n ** 10n - scaled).toBeLessThan(BigInt(Math.max(1, lines.length)) * 10n ** 10n)
      }),
    )
  })

  it('is never below nothing, and never falls when any unit is used more', () => {
    const fields = fc.constantFrom<Exclude<keyof Usage, 'media'>>('input', 'cachedInput', 'cacheWrite', 'output', 'requests')
    fc.assert(
      fc.property(usages, fields, count, ratesOf, multiplier, (usage, field, more, rates, multiplierBp) => {
        const total = (used: Usage) => priceUsage(used, priceOf(rates), group(multiplierBp), exact).total
        expect(total(usage)).toBeGreaterThanOrEqual(0n)
        expect(total({ ...usage, [field]: usage[field] + more })).toBeGreaterThanOrEqual(total(usage))
      }),
    )
  })

  it("prices the vendor's cost at its own rates, whatever the group pays", () => {
    fc.assert(
      fc.property(usages, ratesOf, ratesOf, multiplier, (usage, rates, vendorRates, multiplierBp) => {
        const receipt = priceUsage(usage, priceOf(rates, vendorRates), group(multiplierBp), exact)
        expect(receipt.vendorCost).toBe(priceUsage(usage, priceOf(vendorRates), group(10_000n), exact).total)
      }),
    )
  })

  it('is an error where a unit that was used has no rate, and never zero', () => {
    const usage: Usage = { input: 1n, cachedInput: 0n, cacheWrite: 0n, output: 1n, reasoning: 0n, requests: 1n }
    expect(() => priceUsage(usage, priceOf({ input: 1n }), group(10_000n), exact)).toThrow(UnpricedUnitError)
    expect(() => priceUsage(usage, priceOf({ output: 1n }), group(10_000n), exact)).toThrow(UnpricedUnitError)
    expect(() => priceUsage({ ...usage, output: 0n }, priceOf({ input: 1n }), group(10_000n), exact)).not.toThrow()
  })

  it('prices reasoning apart only where the price does', () => {
    const usage: Usage = { input: 0n, cachedInput: 0n, cacheWrite: 0n, output: 100n, reasoning: 60n, requests: 1n }
    const plain = priceUsage(usage, priceOf({ input: 0n, output: 1_000_000n }), group(10_000n), exact)
    expect(plain.lines.map(({ unit, count: units }) => [unit, units])).toEqual([['output', 100n]])
    const apart = priceUsage(usage, priceOf({ input: 0n, output: 1_000_000n, reasoning: 3_000_000n }), group(10_000n), exact)
    expect(apart.lines.map(({ unit, count: units }) => [unit, units])).toEqual([
      ['output', 40n],
      ['reasoning', 60n],
    ])
    expect(apart.total).toBe(220n)
  })
})

describe('media', () => {
  const rates: Rates = { input: 5_000_000n, image: 40n * 1_000_000n, 'image:1x1': 1_000_000n, 'image:1x1:hd': 2_000_000n }
  const linesOf = (media: Usage['media'], from = rates) =>
    priceUsage({ ...NO_USAGE, requests: 1n, media: media ?? {} }, priceOf(from), group(10_000n), exact).lines.map(
      ({ unit, count: units, amount }) => [unit, units, amount],
    )

  it('has a line for each of its units, at the rate of exactly that unit', () => {
    expect(linesOf({ 'image:1x1': 3n, 'image:1x1:hd': 2n })).toEqual([
      ['image:1x1', 3n, 3n],
      ['image:1x1:hd', 2n, 4n],
    ])
  })

  it('has one rate for every image where the price names no size, and for tokens of media that of text', () => {
    expect(linesOf({ 'image:9x9:hd': 1n, image_input: 2n })).toEqual([
      ['image:9x9:hd', 1n, 40n],
      ['image_input', 2n, 10n],
    ])
  })

  it.each(['image:2x2', 'audio_second', 'video_second', 'character', 'image_output'] as const)(
    'refuses %s where the price has no rate for it',
    (unit) => {
      expect(() => linesOf({ [unit]: 1n }, { input: 1n, 'image:1x1': 1n })).toThrow(UnpricedUnitError)
    },
  )
})

describe('the dearest rates', () => {
  it('are at least every rate at which such a token can be billed', () => {
    fc.assert(
      fc.property(ratesOf, (rates) => {
        for (const unit of ['input', 'cached_input', 'cache_write'] as const)
          expect(maxInputRate(rates)).toBeGreaterThanOrEqual(rateOf(rates, unit))
        for (const unit of ['output', 'reasoning', 'image_output'] as const)
          expect(maxOutputRate(rates)).toBeGreaterThanOrEqual(rateOf(rates, unit))
      }),
    )
  })
})

it('a search of the web that was priced later than the rest costs its price, until its cost is known', () => {
  const rates = { input: 10n, output: 20n, web_search: 7n }
  expect(withSearchCost({ input: 1n }, rates)).toEqual({ input: 1n, web_search: 7n })
  const known = { input: 1n, web_search: 3n }
  expect(withSearchCost(known, rates)).toBe(known)
  expect(withSearchCost(known, { input: 10n })).toBe(known)
})
