import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ModelPrice, priceUsage, type Rates } from '../domain/price.ts'
import { mediaUsage, NO_USAGE, type Usage } from '../domain/usage.ts'
import type { Bound } from '../wire/endpoint.ts'
import { limitsOf, priceBound } from './admit.ts'
import type { Authenticated } from './authenticate.ts'
import type { GatewayPorts } from './ports.ts'

const rate = fc.oneof(fc.bigInt({ min: 0n, max: 10n }), fc.bigInt({ min: 0n, max: 10n ** 12n }))
const sometimes = fc.option(rate, { nil: undefined })
const prices = fc
  .tuple(rate, rate, sometimes, sometimes, sometimes, sometimes, sometimes)
  .map(([input, output, cached_input, cache_write, reasoning, image_output, request]): ModelPrice => {
    const all = { input, output, cached_input, cache_write, reasoning, image_output, request }
    const rates = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Rates
    return { id: 'p', from: new Date(0), rates, vendorRates: rates }
  })
const size = fc.oneof(fc.bigInt({ min: 0n, max: 20n }), fc.bigInt({ min: 0n, max: 3_000_000n }))
const share = fc.nat(100).map(BigInt)

/** A bound and a usage within it: its input is split in any way, and any part of its output is reasoning or images. */
const within = fc
  .tuple(size, size, share, share, share, share, share, share)
  .map(([input, output, usedIn, cached, written, usedOut, thought, drawn]): { bound: Bound; usage: Usage } => {
    const inputUsed = (input * usedIn) / 100n
    const cachedInput = (inputUsed * cached) / 100n
    const cacheWrite = ((inputUsed - cachedInput) * written) / 100n
    const outputUsed = (output * usedOut) / 100n
    const reasoning = (outputUsed * thought) / 100n
    const image_output = ((outputUsed - reasoning) * drawn) / 100n
    return {
      bound: { cap: Number(output), choices: 1, usage: { ...NO_USAGE, input, output, requests: 1n } },
      usage: {
        input: inputUsed - cachedInput - cacheWrite,
        cachedInput,
        cacheWrite,
        output: outputUsed - image_output,
        reasoning,
        requests: 1n,
        media: { image_output },
      },
    }
  })

describe('priceBound', () => {
  it('is never below a receipt for a usage within the bound, whatever the rates and the multiplier', () => {
    fc.assert(
      fc.property(within, prices, fc.bigInt({ min: 0n, max: 100_000n }), ({ bound, usage }, price, multiplierBp) => {
        const { total } = priceUsage(usage, price, { name: 'g', multiplierBp }, { exact: true })
        expect(priceBound(bound, price, multiplierBp)).toBeGreaterThanOrEqual(total)
      }),
      { numRuns: 3000 },
    )
  })

  it('is what a receipt says of media, line by line', () => {
    const media = fc.record({ 'image:1x1:hd': size, audio_second: size, image_output: size, character: size })
    fc.assert(
      fc.property(media, fc.tuple(rate, rate, rate, rate), fc.bigInt({ min: 0n, max: 100_000n }), (used, of, multiplierBp) => {
        const [image, audio_second, output, character] = of
        const rates: Rates = { image, audio_second, output, character }
        const usage = mediaUsage(used)
        const { total } = priceUsage(
          usage,
          { id: 'p', from: new Date(0), rates, vendorRates: rates },
          { name: 'g', multiplierBp },
          { exact: true },
        )
        expect(
          priceBound({ cap: 0, choices: 1, usage }, { id: 'p', from: new Date(0), rates, vendorRates: rates }, multiplierBp),
        ).toBe(total)
      }),
    )
  })

  it('is above the dearest receipt by four nano-dollars at most', () => {
    fc.assert(
      fc.property(within, prices, fc.bigInt({ min: 0n, max: 100_000n }), ({ bound }, price, multiplierBp) => {
        const { input, cached_input: cached = -1n, cache_write: write = -1n, output, reasoning = -1n } = price.rates
        const { image_output: image = -1n } = price.rates
        const most: Usage = { ...NO_USAGE, requests: 1n }
        if (write > (input ?? 0n) && write > cached) most.cacheWrite = bound.usage.input
        else if (cached > (input ?? 0n)) most.cachedInput = bound.usage.input
        else most.input = bound.usage.input
        if (image > (output ?? 0n) && image > reasoning) most.media = { image_output: bound.usage.output }
        else most.output = bound.usage.output
        if (reasoning > (output ?? 0n)) most.reasoning = most.output
        const { total } = priceUsage(most, price, { name: 'g', multiplierBp }, { exact: true })
        expect(priceBound(bound, price, multiplierBp) - total).toBeLessThanOrEqual(4n)
      }),
    )
  })
})

it('requests and tokens a minute are the smaller of what key and group say, and the default of whoever says nothing', () => {
  const ports = { settings: { defaultRpm: 30, defaultTpm: 300 } } as GatewayPorts
  const none = { rpm: null, tpm: null }
  const of = (caller: object, group: object) => limitsOf({ caller, group } as unknown as Authenticated, ports)
  expect(of({ rpm: 10, tpm: 100 }, { rpm: 20, tpm: 200 })).toEqual({ rpm: 10, tpm: 100 })
  expect(of({ rpm: 20, tpm: 200 }, { rpm: 10, tpm: 100 })).toEqual({ rpm: 10, tpm: 100 })
  expect(of({ rpm: 40, tpm: 400 }, none)).toEqual({ rpm: 30, tpm: 300 })
  expect(of(none, { rpm: 40, tpm: 400 })).toEqual({ rpm: 40, tpm: 400 })
})
