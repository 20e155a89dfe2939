import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, expectError, headersOf, openApiWorld } from '../fakes/api-world.ts'
import { chatChunk, sendEvent, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { setSettings } from '../support/fixtures.ts'

let world: ApiWorld
beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const POST_PATHS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/images/generations',
  '/v1/images/edits',
  '/v1/audio/speech',
  '/v1/audio/transcriptions',
  '/v1/audio/translations',
  '/v1/videos/generations',
  '/v1/videos/generations/task_00000000000000000000000000/cancel',
]
const GET_PATHS = [
  '/v1/models',
  '/v1/models/fake/chat',
  '/v1/responses/resp_00000000000000000000000000',
  '/v1/videos/generations/task_00000000000000000000000000',
]

test('maintenance ends nothing that is under way, and answers every endpoint with a 503 that says when to come again', async () => {
  const holder = await world.holder()
  const gate = Promise.withResolvers<void>()
  world.vendor.answer(async (call) => {
    startStream(call)
    sendEvent(call, chatChunk('one'))
    await gate.promise
    sendEvent(call, chatChunk(' two'))
    sendEvent(call, chatChunk(null, 'stop'))
    sendEvent(call, usageChunk(usageOf(10, 2)))
    sendEvent(call, '[DONE]')
    call.response.end()
  })
  const stream = world.chat(holder.secret, { stream: true })
  await expect.poll(() => world.vendor.calls.length).toBe(1)
  await setSettings(world.pool, { maintenance: true })
  const get = (path: string) => world.send({ method: 'GET', path, headers: headersOf(holder.secret) })
  await expect.poll(async () => (await get('/v1/models')).status, { timeout: 5000 }).toBe(503)

  const answers = [
    ...(await Promise.all(GET_PATHS.map(get))),
    ...(await Promise.all(POST_PATHS.map((path) => world.send({ path, headers: headersOf(holder.secret), body: '{}' })))),
    await world.send({ method: 'DELETE', path: GET_PATHS[2] as string, headers: headersOf(holder.secret) }),
  ]
  for (const answer of answers) {
    expectError(answer, { condition: 'maintenance', message: /closed for maintenance/ })
    expect(answer.header('retry-after')).toBe('30')
  }

  gate.resolve()
  const completedStream = await stream
  expect(completedStream.status).toBe(200)
  expect(completedStream.text).toContain(' two')
  expect(completedStream.text).toContain('[DONE]')
  expect((await world.record(holder.accountId)).outcome).toBe('finished')
  await setSettings(world.pool, { maintenance: undefined })
  await expect.poll(async () => (await get('/v1/models')).status, { timeout: 5000 }).toBe(200)
})
