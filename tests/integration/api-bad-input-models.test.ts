import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, chatBody, expectError, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { addGroup, addKey, addModel } from '../support/fixtures.ts'
import type { RawAnswer } from '../support/raw-client.ts'

let world: ApiWorld
let closedGroup: string

beforeAll(async () => {
  world = await openApiWorld()
  closedGroup = await addGroup(world.pool, 'closed')
  await addModel(world.pool, { id: 'fake/closed', baseUrl: world.vendor.url, groupId: closedGroup })
  await addModel(world.pool, { id: 'fake/last', baseUrl: world.vendor.url })
  await untilModelKnown(world, 'fake/last')
})
afterAll(() => world?.[Symbol.asyncDispose]())

const ask = (secret: string, model: string, overrides: object = {}) =>
  world.send({ headers: headersOf(secret), body: JSON.stringify(chatBody({ model, ...overrides })) })

/** An answer without what differs between any two requests, and without the model name that the client sent. */
const normalize = (answer: RawAnswer, model: string): string =>
  answer.text
    .replace(/req_[0-9a-z]{26}/, 'REQUEST')
    .replace(/Date: .*/i, 'DATE')
    .replace(/(x-ratelimit-reset-\w+): .*/g, '$1')
    .replace(/(x-ratelimit-remaining-\w+): .*/g, '$1')
    .replaceAll(model, 'MODEL')

test('a model that no vendor runs, or that has no price yet, is not listed', async () => {
  const holder = await world.holder()
  const listed = async (): Promise<string[]> => {
    const answer = await world.send({ method: 'GET', path: '/v1/models', headers: headersOf(holder.secret) })
    return (answer.json() as { data: { id: string }[] }).data.map(({ id }) => id)
  }
  await addModel(world.pool, { id: 'fake/paused', baseUrl: world.vendor.url })
  await untilModelKnown(world, 'fake/paused')
  expect(await listed()).toContain('fake/paused')
  await world.pool.query(`
    update deployment set enabled = false where model_id = 'fake/paused';
    insert into model (id, owned_by, modality, context_window, max_output) values ('fake/later', 'fake', 'chat', 8192, 1024);
    insert into group_model (group_id, model_id) select group_id, 'fake/later' from group_model where model_id = 'fake/paused';
    insert into deployment (id, model_id, connection_id, upstream_model)
      select 'dep_later', 'fake/later', connection_id, 'later' from deployment where model_id = 'fake/last';
    insert into price (id, model_id, starts_at, units, vendor_units)
      values ('prc_later', 'fake/later', now() + interval '1 day', '{"input": "1", "output": "1"}', '{}')`)
  await world.pool.query(`insert into change (topic, ref) values ('catalog', 'paused')`)
  await world.pool.query(`select pg_notify('tollgate_change', 'catalog:paused')`)
  await expect.poll(listed).not.toContain('fake/paused')
  expect(await listed()).not.toContain('fake/later')
  for (const path of ['fake/later', 'fake/paused'])
    expectError(await world.send({ method: 'GET', path: `/v1/models/${path}`, headers: headersOf(holder.secret) }), {
      condition: 'unknown_model',
      param: 'model',
    })
  // Somebody who knows a name is told that it cannot be called now, and not that it does not exist.
  expectError(await ask(holder.secret, 'fake/paused'), { condition: 'unavailable' })
  expectError(await ask(holder.secret, 'fake/later'), { condition: 'unavailable' })
})

describe('a model that is not there, one of another group, and one off the list of the key', () => {
  test('get the same answer to the byte', async () => {
    const holder = await world.holder()
    const restrictedKey = await addKey(world.pool, holder.accountId, { modelAllow: ['fake/last'] })
    // Names of the same length, so that the content lengths agree too.
    const unknown = await ask(holder.secret, 'fake/cloned')
    const other = await ask(holder.secret, 'fake/closed')
    const groupKey = await addKey(world.pool, holder.accountId, { groupId: closedGroup })
    expect((await ask(groupKey.secret, 'fake/closed')).status, 'it does exist').toBe(200)
    expectError(unknown, { condition: 'unknown_model', param: 'model' })
    expect(normalize(other, 'fake/closed')).toBe(normalize(unknown, 'fake/cloned'))

    expect((await ask(restrictedKey.secret, 'fake/last')).status).toBe(200)
    const [disallowed, nonexistent] = [await ask(restrictedKey.secret, 'fake/chat'), await ask(restrictedKey.secret, 'fake/chut')]
    expectError(disallowed, { condition: 'unknown_model', param: 'model' })
    expect(normalize(disallowed, 'fake/chat')).toBe(normalize(nonexistent, 'fake/chut'))
    await world.expectSettledBooks(holder, 6)
  })

  test('get the same answer where they are looked up, and are not listed', async () => {
    const holder = await world.holder()
    const getModel = (secret: string, path: string) =>
      world.send({ method: 'GET', path: `/v1/models${path}`, headers: headersOf(secret) })
    const [other, unknown] = [await getModel(holder.secret, '/fake/closed'), await getModel(holder.secret, '/fake/cloned')]
    expectError(other, { condition: 'unknown_model', param: 'model' })
    expect(normalize(other, 'fake/closed')).toBe(normalize(unknown, 'fake/cloned'))
    const restrictedKey = await addKey(world.pool, holder.accountId, { modelAllow: ['fake/last', 'fake/closed'] })
    const listed = (await getModel(restrictedKey.secret, '')).json()
    expect(listed).toEqual({ object: 'list', data: [expect.objectContaining({ id: 'fake/last', object: 'model' })] })
    expect((await getModel(holder.secret, '')).text).not.toContain('fake/closed')
  })

  test('cannot be told apart by a cap that is over their maximum', async () => {
    const holder = await world.holder()
    const [other, unknown] = [
      await ask(holder.secret, 'fake/closed', { max_tokens: 1_000_000_000 }),
      await ask(holder.secret, 'fake/cloned', { max_tokens: 1_000_000_000 }),
    ]
    expect(normalize(other, 'fake/closed')).toBe(normalize(unknown, 'fake/cloned'))
    expectError(other, { condition: 'unknown_model', param: 'model' })
    await world.expectSettledBooks(holder, 2)
  })

  test('names that are no names of models are not echoed at length nor as markup', async () => {
    for (const model of ['fake/chat ', ' fake/chat', 'fake/chat\u0000', '\u202efake', '"};alert(1)//', 'x'.repeat(200)])
      await world.expectRefused((secret) => ({ headers: headersOf(secret), body: JSON.stringify(chatBody({ model })) }), {
        condition: 'unknown_model',
        param: 'model',
      })
  })
})

const statefulMessage = /stored in a vendor account/
const billedMessage = /billed separately/
const user = (part: object) => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }, part] }] })
const tool = (type: string, overrides: object = {}) => ({
  tools: [
    { type: 'function', function: { name: 'f' } },
    { type, ...overrides },
  ],
})

describe("a field that reaches into the vendor's account, or starts what has no price, is a 400 that names it", () => {
  const cases: [string, object, string, RegExp][] = [
    ['previous_response_id', { previous_response_id: 'resp_1' }, 'previous_response_id', statefulMessage],
    ['conversation as a name', { conversation: 'conv_1' }, 'conversation', statefulMessage],
    ['conversation as an object', { conversation: { id: 'conv_1' } }, 'conversation', statefulMessage],
    ['container', { container: 'cntr_1' }, 'container', statefulMessage],
    ['vector_store_ids', { vector_store_ids: ['vs_1'] }, 'vector_store_ids', statefulMessage],
    ['vector_store_ids without any', { vector_store_ids: [] }, 'vector_store_ids', statefulMessage],
    ['file_ids', { file_ids: ['file-1'] }, 'file_ids', statefulMessage],
    [
      'a file by its id',
      user({ type: 'file', file: { file_id: 'file-1' } }),
      'messages[0].content[1].file.file_id',
      statefulMessage,
    ],
    [
      'a file by its id and by its bytes',
      user({ type: 'file', file: { file_id: 'file-1', file_data: 'data:application/pdf;base64,AA==' } }),
      'messages[0].content[1].file.file_id',
      statefulMessage,
    ],
    [
      "an earlier answer's sound",
      { messages: [{ role: 'assistant', content: 'x', audio: { id: 'audio_1' } }] },
      'messages[0].audio',
      statefulMessage,
    ],
    ['service_tier', { service_tier: 'priority' }, 'service_tier', billedMessage],
    ['another service_tier', { service_tier: 'flex' }, 'service_tier', billedMessage],
    ['web_search_options', { web_search_options: {} }, 'web_search_options', billedMessage],
    ['background', { background: true }, 'background', billedMessage],
    ['background false', { background: false }, 'background', billedMessage],
    ['audio', { audio: { voice: 'alloy', format: 'wav' } }, 'audio', billedMessage],
    ['sound among the modalities', { modalities: ['text', 'audio'] }, 'modalities[1]', billedMessage],
    ['a web search', tool('web_search'), 'tools[1].type', billedMessage],
    ['a web search of today', tool('web_search_preview'), 'tools[1].type', billedMessage],
    ['a file search', tool('file_search', { vector_store_ids: ['vs_1'] }), 'tools[1].type', billedMessage],
    ['a code interpreter', tool('code_interpreter', { container: { type: 'auto' } }), 'tools[1].type', billedMessage],
    ['an image generation', tool('image_generation'), 'tools[1].type', billedMessage],
    ['a remote server of tools', tool('mcp', { server_url: 'https://example.com' }), 'tools[1].type', billedMessage],
    ['a computer', tool('computer_use_preview'), 'tools[1].type', billedMessage],
  ]
  test.each(cases)('%s', async (_, more, param, message) => {
    await world.expectRefused((secret) => ({ headers: headersOf(secret), body: JSON.stringify(chatBody(more)) }), {
      condition: 'invalid_request',
      param,
      message,
    })
  })

  test('but null says nothing, and passes', async () => {
    const { secret } = await world.holder()
    const nullFields = {
      previous_response_id: null,
      service_tier: null,
      web_search_options: null,
      audio: null,
      modalities: ['text'],
    }
    expect((await world.chat(secret, nullFields)).status).toBe(200)
  })
})

describe('what a part of a message carries besides what its type names', () => {
  const cases: [string, object][] = [
    ['an image without an address', { type: 'text', text: 'x', image_url: {} }],
    ['an image that is text', { type: 'text', text: 'x', image_url: 'y' }],
    ['an image with a number for an address', { type: 'text', text: 'x', image_url: { url: 5 } }],
    ['a video without an address', { type: 'text', text: 'x', video_url: {} }],
    ['a file that is a number', { type: 'text', text: 'x', file: 7 }],
  ]
  test.each(cases)('%s is passed on and does no harm', async (_, part) => {
    const holder = await world.holder()
    const answer = await world.chat(holder.secret, { messages: [{ role: 'user', content: [part] }] })
    expect(answer.status, answer.text).toBe(200)
    expect(world.vendor.calls.at(-1)?.body).toMatchObject({ messages: [{ content: [part] }] })
    await world.expectSettledBooks(holder, 1)
  })

  test('is counted by its bytes, so that text cannot pass for an image', async () => {
    const holder = await world.holder()
    const url = 'word '.repeat(20_000)
    const answer = await world.chat(holder.secret, {
      messages: [{ role: 'user', content: [{ type: 'text', text: 'x', image_url: { url } }] }],
      max_tokens: 1,
    })
    expect(answer.status).toBe(200)
    // 100,000 bytes at $2.50 per million tokens.
    expect((await world.record(holder.accountId)).hold).toBeGreaterThan(250_000_000n)
    await world.expectSettledBooks(holder, 1)
  })
})
