import { expect, it } from 'vitest'
import { asRefusal } from '../domain/errors.ts'
import type { Authenticated } from './authenticate.ts'
import { findModel } from './find-model.ts'

const CATALOG = {
  models: new Map(
    [
      'openai/gpt-5',
      'azure/gpt-4o',
      'openai/gpt-4o',
      'gpt-4o-mini',
      'openai/gpt-4o-mini',
      'router/openai/o1',
      'hidden/secret',
    ].map((id) => [id, { id }]),
  ),
}

function find(name: string, modelAllow: string[] | null = null): string {
  const group = { models: new Set([...CATALOG.models.keys()].filter((id) => id !== 'hidden/secret')) }
  const caller = { modelAllow: modelAllow && new Set(modelAllow) }
  try {
    return findModel({ catalog: CATALOG, group, caller } as unknown as Authenticated, name).id
  } catch (error) {
    const { condition, param, message } = asRefusal(error) ?? { message: String(error) }
    return `${condition} ${param}: ${message}`
  }
}

it.each([
  ['openai/gpt-5', 'openai/gpt-5'],
  ['gpt-5', 'openai/gpt-5'],
  // An id comes before the end of another one.
  ['gpt-4o-mini', 'gpt-4o-mini'],
  ['openai/o1', 'router/openai/o1'],
])('%s is %s', (name, id) => {
  expect(find(name)).toBe(id)
})

it('a name that means several models is refused with those that the key may use, and means the only one of them', () => {
  expect(find('gpt-4o')).toBe(
    'unknown_model model: The name "gpt-4o" means several models. Use "azure/gpt-4o" or "openai/gpt-4o".',
  )
  expect(find('gpt-4o', ['openai/gpt-4o'])).toBe('openai/gpt-4o')
})

it.each(['secret', 'o1', 'nobody', '', '/', 'openai/'])('%j is unknown, whether or not somebody else may use it', (name) => {
  expect(find(name)).toMatch(/^unknown_model model: The model ".*" does not exist or this key's group does not include it/)
})
