import { describe, expect, it } from 'vitest'
import type { ModelRow } from '#lib/contracts/catalog'
import type { GroupRow } from '#lib/contracts/keys'
import { parseRates, priceUsage } from '#lib/domain/price'
import { estimate, quantitiesOf } from './estimate.ts'
import { readQuery, selectModels, sizeText } from './query.ts'
import { headPrices, leadPrice, unitPrices } from './rates.ts'

const row = (id: string, differing: Partial<ModelRow> = {}): ModelRow => ({
  id,
  ownedBy: id.split('/')[0] ?? '',
  modality: 'chat',
  contextWindow: 128_000,
  maxOutput: 8000,
  searches: false,
  capabilities: ['tools'],
  facts: { sizes: [], qualities: [], voices: [], formats: [], durations: [], dimensions: null, images: null },
  createdAt: '2026-01-01T00:00:00.000Z',
  priceFrom: '2026-01-01T00:00:00.000Z',
  rates: { input: '2500000000', cached_input: '1250000000', output: '10000000000' },
  ...differing,
})

const rows = [
  row('b/large', { contextWindow: 1_000_000, createdAt: '2026-03-01T00:00:00.000Z' }),
  row('a/small', { rates: { input: '150000000', output: '600000000' } }),
  row('a/draws', {
    modality: 'image',
    capabilities: [],
    rates: { 'image:1024x1024': '40000000000000', 'image:1024x1024:hd': '80000000000000' },
  }),
  row('sandbox/chat', { rates: { input: '100000000', output: '400000000' } }),
]
const group = (name: string, multiplierBp: number, models: string[], isDefault = false): GroupRow => ({
  id: `grp_${name}`,
  name,
  description: '',
  multiplierBp,
  isDefault,
  examples: {},
  models,
})
const groups = [
  group(
    'default',
    10_000,
    rows.map(({ id }) => id),
    true,
  ),
  group('dear', 20_000, ['a/small', 'b/large']),
]
const ask = (address: string) => {
  const query = readQuery(new URLSearchParams(address), rows, groups)
  return selectModels(rows, query).map(({ id }) => id)
}

describe('the list of models', () => {
  it.each([
    ['', ['a/draws', 'a/small', 'b/large', 'sandbox/chat']],
    ['q=LARGE', ['b/large']],
    ['q=a/+tools', ['a/small', 'b/large'].filter((id) => id.startsWith('a/'))],
    ['modality=image', ['a/draws']],
    ['vendor=a', ['a/draws', 'a/small']],
    ['price=1', ['a/small', 'sandbox/chat']],
    ['context=200000', ['b/large']],
    ['sort=price', ['sandbox/chat', 'a/small', 'b/large', 'a/draws']],
    ['sort=context', ['b/large', 'a/small', 'sandbox/chat', 'a/draws']],
    ['sort=newest', ['b/large', 'a/draws', 'a/small', 'sandbox/chat']],
    ['group=dear', ['a/small', 'b/large']],
    ['group=dear&price=0.25', []],
    ['modality=smell&vendor=&price=7&context=abc&sort=random&group=none', ['a/draws', 'a/small', 'b/large', 'sandbox/chat']],
  ])('asked for "%s" is %j', (address, ids) => {
    expect(ask(address)).toEqual(ids)
  })

  it('compares models that exist, each once, at most four', () => {
    const many = rows.concat(row('c/one'), row('c/two'))
    const query = readQuery(new URLSearchParams('compare=a/small,nothing,a/small,b/large,c/one,c/two,sandbox/chat'), many, groups)
    expect(query.compare).toEqual(['a/small', 'b/large', 'c/one', 'c/two'])
  })
})

describe('prices', () => {
  it('are told by the million or by the piece, under the factor of the group', () => {
    expect(unitPrices(row('x'), 10_980n).map(({ unit, text, per }) => [unit, text, per])).toEqual([
      ['input', '$2.745', 'million'],
      ['cached_input', '$1.3725', 'million'],
      ['output', '$10.98', 'million'],
    ])
    const drawn = rows[2] as ModelRow
    expect(unitPrices(drawn, 10_000n).map(({ unit, text }) => [unit, text])).toEqual([
      ['image:1024x1024', '$0.04'],
      ['image:1024x1024:hd', '$0.08'],
    ])
  })
  it('lead with what goes in, else with the cheapest of its kind', () => {
    expect(headPrices(row('x'), 10_000n).map(({ unit }) => unit)).toEqual(['input', 'output'])
    expect(headPrices(rows[2] as ModelRow, 10_000n).map(({ unit }) => unit)).toEqual(['image:1024x1024'])
    const drawsInTokens = {
      modality: 'chat',
      rates: { input: '5000000000', image_input: '10000000000', image_output: '40000000000' },
    }
    expect(headPrices(drawsInTokens, 10_000n).map(({ unit, text }) => [unit, text])).toEqual([
      ['input', '$5.00'],
      ['image_output', '$40.00'],
    ])
    expect(leadPrice({ rates: {} }, 10_000n)).toBeNull()
  })
  it('say that the output of a chat is free, but not that of a model without output', () => {
    const rates = { input: '1000000000', output: '0' }
    expect(headPrices({ modality: 'chat', rates }, 10_000n).map(({ text }) => text)).toEqual(['$1.00', '$0.00'])
    expect(headPrices({ modality: 'embedding', rates }, 10_000n).map(({ text }) => text)).toEqual(['$1.00'])
  })
  it('are rounded up, never down', () => {
    expect(unitPrices({ rates: { input: '1' } }, 10_001n)[0]?.rate).toBe(2n)
  })
})

it('tells a size that nobody has stated from one that is known', () => {
  const model = { facts: { assumed: ['maxOutput' as const] } }
  expect(sizeText(model, 'maxOutput', '32.8K')).toBe('≈\u00a032.8K')
  expect(sizeText(model, 'contextWindow', '131K')).toBe('131K')
  expect(sizeText({ facts: {} }, 'maxOutput', '32.8K')).toBe('32.8K')
})

describe('the calculator', () => {
  const counts = { input: 1592n, cached_input: 512n, output: 611n }
  it('charges what the ledger would, line by line', () => {
    const got = estimate(row('x'), { counts, variant: 'image', requests: 1000n }, 10_980n)
    const receipt = priceUsage(
      { input: 1592n, cachedInput: 512n, cacheWrite: 0n, output: 611n, reasoning: 0n, requests: 1n },
      { id: 'p', from: new Date(0), rates: parseRates(row('x').rates), vendorRates: parseRates(row('x').rates) },
      { name: 'g', multiplierBp: 10_980n },
      { exact: true },
    )
    expect(got.lines.map(({ unit, amount }) => [unit, amount])).toEqual(receipt.lines.map(({ unit, amount }) => [unit, amount]))
    expect(got.perRequest).toBe(receipt.total)
    expect(got.total).toBe(receipt.total * 1000n)
    expect(got.unpricedUnits).toEqual([])
  })
  it('takes the chosen kind of image, and the plain one where a price lists no other', () => {
    const asked = { counts: { image: 3n }, variant: 'image:1024x1024:hd', requests: 1n }
    expect(estimate(rows[2] as ModelRow, asked, 10_000n).perRequest).toBe(240_000_000n)
    expect(estimate({ rates: { image: '10000000000000' } }, asked, 10_000n).perRequest).toBe(30_000_000n)
  })
  it('adds the price of the request itself', () => {
    expect(
      estimate({ rates: { input: '0', request: '5000000000000' } }, { counts, variant: '', requests: 2n }, 10_000n).total,
    ).toBe(10_000_000n)
  })
  it('says what a model does not sell, and leaves it out', () => {
    const got = estimate(row('x'), { counts: { input: 10n, character: 5n }, variant: 'image', requests: 1n }, 10_000n)
    expect(got.unpricedUnits).toEqual(['character'])
    expect(got.lines.map(({ unit }) => unit)).toEqual(['input'])
  })
  it('asks for what the prices of all models list', () => {
    expect(quantitiesOf(rows)).toEqual({
      units: ['input', 'cached_input', 'output', 'image'],
      variants: ['image:1024x1024', 'image:1024x1024:hd'],
    })
  })
})
