import { expect, it } from 'vitest'
import { newModelForm, readModelForm } from './model-form.ts'

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

it.each(['[1]', '{', 'null', '"x"'])('refuses the facts %s', (facts) => {
  expect(readModelForm({ ...newModelForm, facts }).faults).toEqual({ facts: 'json' })
})

it('names every number at fault', () => {
  const form = { ...newModelForm, contextWindow: 'many', maxOutput: '1.5', imageTokens: '' }
  expect(readModelForm(form).faults).toEqual({ contextWindow: 'whole', maxOutput: 'whole', imageTokens: 'whole' })
})
