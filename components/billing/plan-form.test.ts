import { describe, expect, it } from 'vitest'
import { equalsSettings, initialTexts, readPlan } from './plan-form.ts'

const UNIT = 1_000_000_000n
const limits = { minNano: String(UNIT), maxNano: String(1000n * UNIT), stepNano: '10000000' }
const good = { threshold: '5', amount: '20', ceiling: '100' }

describe('what is typed', () => {
  it('is a plan', () => {
    expect(readPlan({ threshold: '$5', amount: '20.50', ceiling: '1,000' }, limits)).toEqual({
      plan: { threshold: 5n * UNIT, amount: 20_500_000_000n, ceiling: 1000n * UNIT },
    })
  })
  it.each([
    [{ threshold: '' }, { threshold: 'amount' }],
    [{ threshold: '0' }, { threshold: 'amount' }],
    [{ amount: '0.5' }, { amount: 'range' }],
    [{ amount: '1001' }, { amount: 'range' }],
    [{ amount: '20.001' }, { amount: 'step' }],
    [{ ceiling: 'much' }, { ceiling: 'amount' }],
    [{ ceiling: '19.99' }, { ceiling: 'ceiling' }],
    [
      { threshold: 'x', amount: 'y', ceiling: '' },
      { threshold: 'amount', amount: 'amount', ceiling: 'amount' },
    ],
  ])('%j is wrong', (change, faults) => {
    expect(readPlan({ ...good, ...change }, limits)).toEqual({ faults })
  })
})

describe('what the form begins with', () => {
  it('is what was set last', () => {
    const settings = { thresholdNano: '2500000000', amountNano: String(30n * UNIT), ceilingNano: String(90n * UNIT) }
    const texts = initialTexts(settings, limits)
    expect(texts).toEqual({ threshold: '2.5', amount: '30', ceiling: '90' })
    const read = readPlan(texts, limits)
    expect('plan' in read && equalsSettings(read.plan, settings)).toBe(true)
    expect('plan' in read && equalsSettings({ ...read.plan, ceiling: UNIT }, settings)).toBe(false)
    expect('plan' in read && equalsSettings(read.plan, null)).toBe(false)
  })
  it.each([
    [limits, good],
    [
      { ...limits, minNano: String(50n * UNIT) },
      { threshold: '5', amount: '50', ceiling: '250' },
    ],
    [
      { ...limits, maxNano: String(8n * UNIT) },
      { threshold: '5', amount: '8', ceiling: '100' },
    ],
  ])('is a proposal that can be paid', (given, texts) => {
    expect(initialTexts(null, given)).toEqual(texts)
    expect(readPlan(texts, given)).toHaveProperty('plan')
  })
})
