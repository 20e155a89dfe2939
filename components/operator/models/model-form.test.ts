import { expect, it } from 'vitest'
import { createModelInput, type OperatorModelRow } from '#lib/contracts/operator'
import { modelFormOf, newModelForm, readModelForm, readNewModel } from './model-form.ts'
import { initialRateLines } from './rates.ts'

const validForm = { ...newModelForm, ownedBy: 'house' }

it('reads numbers with separators, lists and facts', () => {
  const form = {
    ...newModelForm,
    ownedBy: ' house ',
    contextWindow: '128,000',
    capabilities: 'tools, vision',
    facts: '{"inputs":4}',
  }
  expect(readModelForm(form).values).toEqual({
    ownedBy: 'house',
    modality: 'chat',
    contextWindow: 128_000,
    maxOutput: 32_768,
    imageTokens: 16_384,
    capabilities: ['tools', 'vision'],
    facts: { inputs: 4 },
    enabled: true,
  })
})

it('keeps assumed sizes out of the JSON, and assumed until they are stated', () => {
  const row: OperatorModelRow = {
    ...{ id: 'a/b', ownedBy: 'a', modality: 'chat', contextWindow: 131_072, maxOutput: 32_768, imageTokens: 16_384 },
    ...{ capabilities: [], facts: { assumed: ['contextWindow', 'maxOutput'] }, enabled: true, version: 1, archivedAt: null },
    ...{ createdAt: '2026-11-20T00:00:00.000Z', rates: null, deployments: 1, failing: 0, groups: 1 },
  }
  const form = modelFormOf(row)
  expect(form.facts).toBe('')
  expect(readModelForm(form).values).toMatchObject({ facts: row.facts })
  expect(readModelForm({ ...form, statesSizes: true }).values).toMatchObject({ facts: {} })
  expect(readModelForm({ ...form, statesSizes: true }).values).not.toHaveProperty('facts.assumed')
})

it.each(['[1]', '{', 'null', '"x"'])('refuses the facts %s', (facts) => {
  expect(readModelForm({ ...validForm, facts }).faults).toEqual({ facts: 'json' })
})

it('names every number at fault', () => {
  const form = { ...validForm, contextWindow: 'many', maxOutput: '1.5', imageTokens: '' }
  expect(readModelForm(form).faults).toEqual({ contextWindow: 'whole', maxOutput: 'whole', imageTokens: 'whole' })
})

it('names what the API would not take, too', () => {
  const form = { ...newModelForm, contextWindow: '0', imageTokens: '99999999', capabilities: 'x'.repeat(61) }
  const faults = { ownedBy: 'label', contextWindow: 'tokens', imageTokens: 'imageTokens', capabilities: 'capabilities' }
  expect(readModelForm(form).faults).toEqual(faults)
  expect(readModelForm({ ...form, facts: '{"sides":4}' }).faults).toEqual({ ...faults, facts: 'facts' })
})

it('leaves facts to the server if nothing else is wrong, because it says more of them', () => {
  expect(readModelForm({ ...validForm, facts: '{"sides":4}' }).faults).toBeNull()
})

const priced = (...texts: string[]) => initialRateLines('chat').map((line, at) => ({ ...line, text: texts[at] ?? '' }))

it('reads a new model', () => {
  const { values } = readNewModel(' house/one ', validForm, priced('1', '2'))
  expect(values).toMatchObject({ id: 'house/one', ownedBy: 'house', rates: { input: '1000000000', output: '2000000000' } })
  expect(createModelInput.safeParse(values).success).toBe(true)
})

it('names all that is wrong with a new model at once', () => {
  const form = { ...newModelForm, maxOutput: 'many', facts: '{' }
  expect(readNewModel('', form, priced('x', '9999999999')).faults).toEqual({
    ...{ id: 'modelId', ownedBy: 'label', maxOutput: 'whole', facts: 'json' },
    ...{ 'rates.input': 'amount', 'rates.output': 'ceiling' },
  })
  expect(readNewModel('house//one', validForm, []).faults).toEqual({ id: 'modelId', rates: 'noPrice' })
})
