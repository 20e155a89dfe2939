import { describe, expect, it } from 'vitest'
import { modelId } from './operator.ts'
import { createConnectionInput } from './operator-connections.ts'

const taken = (more: object): boolean =>
  createConnectionInput.safeParse({
    ...{ name: 'house', kind: 'openai', proxy: null, concurrency: null },
    ...{ connectTimeoutMs: 1000, headersTimeoutMs: 1000, idleTimeoutMs: 1000 },
    ...more,
  }).success

describe('a connection', () => {
  it.each(['x-team', 'X-API-Version', 'Authorization-Extra'])('can be given the header %s', (name) => {
    expect(taken({ headers: { [name]: 'a' } })).toBe(true)
  })
  it.each(['Content-Length', 'transfer-encoding', 'Host', 'connection', 'x y', ''])('cannot be given the header %j', (name) => {
    expect(taken({ headers: { [name]: '5' } })).toBe(false)
  })
  it.each([
    ['a house', true],
    ['模型', true],
    ['../up', false],
    ['-house', false],
    ['\u200b', false],
  ])('named %j: %s', (name, good) => {
    expect(taken({ name })).toBe(good)
  })
})

it.each([
  ['vendor/model-4.1', true],
  ['gpt..4', true],
  ['a/.hidden', true],
  ['vendor/..', false],
  ['a/./b', false],
  ['a//b', false],
  ['a/', false],
])('a model named %j has a page: %s', (name, good) => {
  expect(modelId.safeParse(name).success).toBe(good)
})
