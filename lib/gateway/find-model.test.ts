import { expect, it } from 'vitest'
import { asRefusal } from '../domain/errors.ts'
import type { Authenticated } from './authenticate.ts'
import { findModel, findOfferedModel, listOfferedModels } from './find-model.ts'

const AT = new Date('2026-11-24T00:00:00Z')
const FOR_SALE = { deployments: [{}], prices: [{ from: new Date(0) }] }
const IDS = [
  'openai/gpt-5',
  'azure/gpt-4o',
  'openai/gpt-4o',
  'gpt-4o-mini',
  'openai/gpt-4o-mini',
  'router/openai/o1',
  'hidden/secret',
  'azure/gpt-4.1',
  'openai/gpt-4.1',
  'openai/o3',
]
/** No vendor runs these, so they are not for sale. */
const WITHOUT_VENDOR = ['azure/gpt-4.1', 'openai/o3']
const CATALOG = {
  models: new Map(IDS.map((id) => [id, { id, ...FOR_SALE, ...(WITHOUT_VENDOR.includes(id) ? { deployments: [] } : {}) }])),
}

function senderOf(modelAllow: string[] | null): Authenticated {
  const group = { models: new Set(IDS.filter((id) => id !== 'hidden/secret')) }
  const caller = { modelAllow: modelAllow && new Set(modelAllow) }
  return { catalog: CATALOG, group, caller, at: AT } as unknown as Authenticated
}

function find(name: string, modelAllow: string[] | null = null, findIn = findModel): string {
  try {
    return findIn(senderOf(modelAllow), name).id
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

it('of two models with one name, it means the one that is for sale', () => {
  expect(find('gpt-4.1')).toBe('openai/gpt-4.1')
})

it('a model that is not for sale can be asked, which says why it cannot answer, but is neither listed nor looked up', () => {
  expect(find('openai/o3')).toBe('openai/o3')
  expect(find('o3')).toBe('openai/o3')
  for (const name of ['openai/o3', 'o3']) expect(find(name, null, findOfferedModel)).toMatch(/^unknown_model model: The model/)
  expect(listOfferedModels(senderOf(['openai/gpt-5', 'openai/o3', 'hidden/secret'])).map(({ id }) => id)).toEqual([
    'openai/gpt-5',
  ])
})
