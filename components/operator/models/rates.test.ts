import { describe, expect, it } from 'vitest'
import { initialRateLines, rateLines, readRates, unitsOf } from './rates.ts'

describe('rates in a form', () => {
  it('stand as dollars per million tokens and per piece, and come back as they were', () => {
    const rates = { input: '2500000000', output: '10000000000', audio_second: '100000000000', image: '40000000000000' }
    const lines = rateLines(rates)
    expect(lines.map(({ text }) => text)).toEqual(['2.5', '10', '0.0001', '0.04'])
    expect(readRates(lines)).toEqual({ rates, faults: null })
  })
  it('that nine places cannot say stay what they were while nobody touches them', () => {
    const lines = rateLines({ audio_second: '27777777' })
    expect(lines[0]?.text).toBe('0.000000027')
    expect(readRates(lines)).toEqual({ rates: { audio_second: '27777777' }, faults: null })
  })
  it.each([
    ['3', '3000000000'],
    ['$0.25', '250000000'],
    ['$1,200.50', '1200500000000'],
    ['.000000001', '1'],
    ['0', '0'],
  ])('read %s exactly', (text, nano) => {
    expect(readRates([{ unit: 'input', text, known: null }])).toEqual({ rates: { input: nano }, faults: null })
  })
  it.each(['', 'five', '-1', '1,5', '1e3', '0.0000000001'])('refuse %j, naming the unit', (text) => {
    expect(readRates([{ unit: 'output', text, known: null }])).toEqual({ rates: null, faults: { output: 'amount' } })
  })
  it('name every unit that is wrong, and why', () => {
    const line = (unit: string, text: string) => ({ unit, text, known: null })
    expect(readRates([line('input', 'x'), line('output', '2'), line('request', '1000.1'), line('character', '')])).toEqual({
      rates: null,
      faults: { input: 'amount', request: 'ceiling', character: 'amount' },
    })
    expect(readRates([line('input', '1000000000'), line('request', '1000')]).faults).toBeNull()
  })
})

describe('units', () => {
  it('of images have a size and a quality where the model has them', () => {
    const units = unitsOf('image', { sizes: ['1024x1024'], qualities: ['standard', 'hd'] })
    expect(units).toContain('image:1024x1024')
    expect(units).toContain('image:1024x1024:hd')
    expect(unitsOf('chat', { sizes: ['1024x1024'] })).not.toContain('image:1024x1024')
    // A chat model may make images, which are billed by the token. A completion has only text.
    expect(unitsOf('chat', {})).toContain('image_output')
    expect(unitsOf('completion', {})).not.toContain('image_output')
  })
  it('of a new model are what its kind cannot be sold without', () => {
    expect(initialRateLines('chat').map(({ unit }) => unit)).toEqual(['input', 'output'])
    expect(initialRateLines('video').map(({ unit }) => unit)).toEqual(['video_second'])
  })
})
