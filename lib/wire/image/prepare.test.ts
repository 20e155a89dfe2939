import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CatalogModel, ModelFacts } from '../../domain/catalog.ts'
import { type ModelPrice, priceUsage, type Rates, UnpricedUnitError } from '../../domain/price.ts'
import { mediaUsage, NO_USAGE } from '../../domain/usage.ts'
import { priceBound } from '../../gateway/admit.ts'
import { billedImageUnit, maxUsageOf } from './bound.ts'
import { chooseImage } from './choice.ts'
import { usageOf } from './non-streaming.ts'
import { boundOf, overriddenFields, prepareImages } from './prepare.ts'
import type { ImageBody } from './schema.ts'
import { readImageUsage, writeImageUsage } from './usage.ts'

const modelOf = (facts: ModelFacts, capabilities: string[] = []): CatalogModel => ({
  id: 'a/model',
  ownedBy: 'a',
  modality: 'image',
  contextWindow: 65_536,
  maxOutput: 8192,
  imageTokens: 1000,
  capabilities: new Set(capabilities),
  facts,
  hiddenReasoning: false,
  createdAt: new Date(0),
  prices: [],
  deployments: [],
})
const bodyOf = (more: object = {}): ImageBody => ({ model: 'a/model', prompt: 'A heron', ...more })
const refusalOf = (make: () => unknown): unknown => {
  try {
    make()
    return null
  } catch (error) {
    return (error as { param?: unknown }).param
  }
}

describe('chooseImage', () => {
  const facts = { sizes: ['1024x1024', '512x512'], qualities: ['standard', 'hd'] }

  it('fills in the first of what the model lists', () => {
    expect(chooseImage(bodyOf(), modelOf(facts))).toEqual({ images: 1, size: '1024x1024', quality: 'standard', partials: 0 })
    expect(chooseImage(bodyOf({ n: null, size: null, quality: null }), modelOf(facts)).size).toBe('1024x1024')
  })

  it('fills it in for auto too, where the model does not choose by itself', () => {
    const auto = { size: 'auto', quality: 'auto' }
    expect(chooseImage(bodyOf(auto), modelOf(facts))).toMatchObject({ size: '1024x1024', quality: 'standard' })
    const own = modelOf({ sizes: ['1024x1024', 'auto'], qualities: ['standard', 'auto'] })
    expect(chooseImage(bodyOf(auto), own)).toMatchObject(auto)
  })

  it('checks nothing of which the entry says nothing', () => {
    const asked = { n: 10, size: '123x456', quality: 'odd', output_format: 'webp' } as const
    expect(chooseImage(bodyOf(asked), modelOf({}))).toEqual({ images: 10, size: '123x456', quality: 'odd', partials: 0 })
    expect(chooseImage(bodyOf(), modelOf({}))).toEqual({ images: 1, size: null, quality: null, partials: 0 })
  })

  it.each([
    ['standard', 'medium'],
    ['hd', 'high'],
    ['low', 'low'],
    ['auto', 'auto'],
  ])('takes the quality %s for %s, where a model has those words', (asked, own) => {
    const model = modelOf({ qualities: ['auto', 'low', 'medium', 'high'] })
    expect(chooseImage(bodyOf({ quality: asked }), model).quality).toBe(own)
  })

  it('does not take a quality for one that is not there', () => {
    expect(refusalOf(() => chooseImage(bodyOf({ quality: 'hd' }), modelOf({ qualities: ['standard'] })))).toBe('quality')
    expect(refusalOf(() => chooseImage(bodyOf({ quality: 'low' }), modelOf(facts)))).toBe('quality')
  })

  it('counts partial images of streams alone', () => {
    const model = modelOf({}, ['streaming'])
    expect(chooseImage(bodyOf({ partial_images: 3 }), model).partials).toBe(0)
    expect(chooseImage(bodyOf({ partial_images: 3, stream: true }), model).partials).toBe(3)
    expect(refusalOf(() => chooseImage(bodyOf({ stream: true }), modelOf({})))).toBe('stream')
  })
})

describe('toldFields', () => {
  const told = (facts: ModelFacts, capabilities: string[], more: object = {}) => {
    const model = modelOf(facts, capabilities)
    const price = { rates: { image: 1n } } as unknown as ModelPrice
    return overriddenFields(prepareImages(bodyOf(more), 0, { model, price }))
  }
  it('says what is billed, and asks for base64', () => {
    expect(told({ sizes: ['512x512'], qualities: ['standard', 'hd'] }, [])).toEqual({
      size: '512x512',
      quality: 'standard',
      response_format: 'b64_json',
    })
  })
  it('names no quality to a model that has one, and no form to a model that knows none', () => {
    expect(told({ qualities: ['standard'] }, ['base64-only'])).toEqual({})
  })
  it('asks for base64 whatever the client asked for', () => {
    expect(told({}, [], { response_format: 'url' })).toEqual({ response_format: 'b64_json' })
  })
})

const RATES: Rates = { 'image:512x512': 10n, 'image:512x512:hd': 30n, 'image:1024x1024': 20n, image: 25n }
const AUTO = modelOf({ sizes: ['auto', '512x512', '1024x1024'], qualities: ['auto', 'standard', 'hd'] })
const choice = (size: string | null, quality: string | null) => ({ images: 1, size, quality, partials: 0 })

describe('billedUnit', () => {
  it.each([
    ['512x512', 'standard', null, null, 'image:512x512'],
    ['512x512', 'hd', null, null, 'image:512x512:hd'],
    // What was requested counts, whatever the answer says.
    ['512x512', 'standard', '1024x1024', 'hd', 'image:512x512'],
    ['auto', 'standard', '512x512', null, 'image:512x512'],
    ['auto', 'standard', null, null, 'image:1024x1024'],
    ['auto', 'auto', null, null, 'image:512x512:hd'],
    ['auto', 'auto', '1024x1024', 'standard', 'image:1024x1024'],
    // A word that the model does not list has no meaning.
    ['auto', 'auto', '1x1', 'odd', 'image:512x512:hd'],
  ])('of %s and %s, answered as %s and %s, is %s', (size, quality, saidSize, saidQuality, unit) => {
    expect(billedImageUnit(choice(size, quality), AUTO, RATES, { size: saidSize, quality: saidQuality })).toBe(unit)
  })

  it('is any image where nobody names a size', () => {
    expect(billedImageUnit(choice(null, null), modelOf({}), { image: 1n })).toBe('image')
  })

  it('is an error where there is no rate', () => {
    expect(() => billedImageUnit(choice('auto', null), modelOf({ sizes: ['1x1', '2x2'] }), { 'image:1x1': 1n })).toThrow(/2x2/)
  })
})

const group = { name: 'default', multiplierBp: 10_000n }
const total = (usage: ReturnType<typeof maxUsageOf>, rates: Rates) =>
  priceUsage(usage, { id: 'p', from: new Date(0), rates, vendorRates: rates }, group, { exact: true }).total

it('a bound by image is above whatever an answer can be billed as', () => {
  const word = (words: readonly string[]) => fc.constantFrom(...words)
  fc.assert(
    fc.property(
      word(['auto', '512x512', '1024x1024']),
      word(['auto', 'standard', 'hd']),
      fc.option(word(['512x512', '1024x1024', '1x1'])),
      fc.option(word(['standard', 'hd', 'low'])),
      fc.integer({ min: 1, max: 10 }),
      fc.nat(10),
      (size, quality, saidSize, saidQuality, images, came) => {
        const price = { rates: RATES, vendorRates: RATES } as unknown as ModelPrice
        const work = prepareImages(bodyOf({ n: images, size, quality }), 0, { model: AUTO, price })
        const held = total(boundOf(work, price, 512).usage, RATES)
        const usage = usageOf(Math.min(came, images), { size: saidSize, quality: saidQuality }, work)
        expect(usage && total(usage, RATES)).toBeLessThanOrEqual(held)
      },
    ),
  )
})

it('is refused before anyone works where an image that the model may choose has no price, ours or the vendor’s', () => {
  const bound = (more: object, vendorRates: Rates) => {
    const price = { rates: RATES, vendorRates } as unknown as ModelPrice
    return boundOf(prepareImages(bodyOf(more), 0, { model: AUTO, price }), price, 0)
  }
  const vendorRates: Rates = { 'image:512x512:hd': 1n, 'image:1024x1024:hd': 1n, 'image:1024x1024': 1n }
  expect(() => bound({ size: 'auto', quality: 'auto' }, vendorRates)).toThrow(UnpricedUnitError)
  expect(() => bound({ size: 'auto', quality: 'hd' }, vendorRates)).not.toThrow()
})

it('a bound in tokens is above whatever was written and made, whichever of the two is dearer', () => {
  const model = modelOf({ sizes: ['1x1'], qualities: ['low'], outputTokens: { '1x1:low': 272 } })
  const rate = fc.bigInt({ min: 1n, max: 100_000_000n })
  fc.assert(
    fc.property(rate, rate, fc.option(rate, { nil: undefined }), fc.nat(272), fc.nat(272), (input, made, output, used, text) => {
      const rates: Rates = { input, image_output: made, ...(output === undefined ? {} : { output }) }
      const price: ModelPrice = { id: 'p', from: new Date(0), rates, vendorRates: rates }
      const work = prepareImages(bodyOf(), 0, { model, price })
      const bound = boundOf(work, price, 0)
      const raw = { input_tokens: 7, output_tokens: used, output_tokens_details: { text_tokens: text } }
      const usage = readImageUsage(raw, rates)
      // The output may be split into two lines, each of which is rounded up.
      expect(usage && total(usage, rates)).toBeLessThanOrEqual(priceBound(bound, price, 10_000n) + 1n)
    }),
  )
})

describe('mostOf a model that is billed in tokens', () => {
  const rates: Rates = { input: 5n, image_input: 10n, image_output: 40n }
  const model = modelOf({
    sizes: ['auto', '1024x1024', '1536x1024'],
    qualities: ['low', 'high'],
    outputTokens: { '1024x1024:low': 272, '1024x1024:high': 4160, '1536x1024:low': 400 },
  })
  const most = (size: string, quality: string, partials = 0, images = 1, came = 0) =>
    maxUsageOf(images, { prompt: 'é', images: came }, { images, size, quality, partials }, model, rates, 64)

  it('is by what is known of size and quality, and the model’s most elsewhere', () => {
    expect(most('1024x1024', 'low').media?.image_output).toBe(272n)
    expect(most('auto', 'low').media?.image_output).toBe(400n)
    expect(most('1536x1024', 'high').media?.image_output).toBe(8192n)
  })
  it('counts bytes of the prompt, images that came, partial images, and all of it for each image', () => {
    expect(most('1024x1024', 'low', 2, 3, 2)).toEqual({
      ...NO_USAGE,
      requests: 1n,
      input: 3n * 66n,
      media: { image_input: 6000n, image_output: 3n * 472n },
    })
  })
})

describe('readImageUsage', () => {
  const rates: Rates = { input: 1n, image_output: 1n }
  it('tells text from images', () => {
    const raw = { input_tokens: 50, output_tokens: 100, input_tokens_details: { text_tokens: 10, image_tokens: 40 } }
    expect(readImageUsage(raw, rates)).toEqual({
      ...NO_USAGE,
      input: 10n,
      requests: 1n,
      media: { image_input: 40n, image_output: 100n },
    })
  })
  it('bills text that was written as text where that has a rate, else as images', () => {
    const raw = { input_tokens: 0, output_tokens: 100, output_tokens_details: { text_tokens: 30, image_tokens: 70 } }
    expect(readImageUsage(raw, { ...rates, output: 1n })).toMatchObject({ output: 30n, media: { image_output: 70n } })
    expect(readImageUsage(raw, rates)).toMatchObject({ output: 0n, media: { image_output: 100n } })
  })
  it.each([
    null,
    {},
    { input_tokens: 1 },
    { input_tokens: -1, output_tokens: 1 },
    { input_tokens: 1.5, output_tokens: 1 },
    { input_tokens: '1', output_tokens: 1 },
    { input_tokens: 1e12, output_tokens: 1 },
  ])('finds nothing in %j', (raw) => {
    expect(readImageUsage(raw, rates)).toBeNull()
  })
})

it('what is written for an image has its cost, and counts where the vendor gave none', () => {
  const written = writeImageUsage(mediaUsage({ 'image:512x512': 2n }), 2, 36_000_000n, null)
  expect(JSON.parse(JSON.stringify(written))).toEqual({
    input_tokens: 0,
    output_tokens: 0,
    total_tokens: 0,
    input_tokens_details: { text_tokens: 0, image_tokens: 0 },
    images: 2,
    cost: 0.036,
  })
})
