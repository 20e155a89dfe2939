import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, expectError, headersOf, openApiWorld, VENDOR_SECRET } from '../fakes/api-world.ts'
import { sendDocumented } from '../fakes/send-documented.ts'
import { type Call, chatChunk, sendJson, startStream } from '../fakes/vendor.ts'
import { respondBytes, streamText } from '../fakes/vendor-faults.ts'
import { eventsOf } from '../support/raw-client.ts'

/** Errors that a vendor puts into the body of an answer with the status 200. */
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const TOO_LONG = {
  error: { message: 'The input is longer than the 4096 tokens of the model.', type: 'BadRequestError', param: null, code: 400 },
}
const LIMITED = { error: { message: 'Rate limit exceeded', code: '429' } }

const respond = (body: object) => (call: Call) =>
  call.body.stream ? respondBytes(streamText([body, '[DONE]']))(call) : sendJson(call, body)

async function send(path: string, body: object) {
  const holder = await world.holder()
  const answer = await sendDocumented(world.gateway.url, {
    path,
    headers: headersOf(holder.secret),
    body: JSON.stringify({ model: 'fake/chat', ...body }),
  })
  return { answer, record: await world.record(holder.accountId) }
}

const REQUESTS: [string, object][] = [
  ['/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] }],
  ['/v1/completions', { prompt: 'x' }],
  ['/v1/responses', { input: 'x' }],
]
const FORMS = REQUESTS.flatMap(([path, body]) => [false, true].map((stream) => [path, { ...body, stream }] as const))

describe('before anything was sent', () => {
  test.each(FORMS)('a request error is the 400 that it names, and costs nothing: %s %j', async (path, body) => {
    world.vendor.answer(respond(TOO_LONG))
    const { answer, record } = await send(path, body)
    expectError(answer, { condition: 'invalid_request', message: /The model's vendor says: The input is longer than/ })
    expect(record).toMatchObject({ charged: 0n, status: 400 })
  })

  test('an error of vLLM, which is the object itself, is too, and says nothing of its credentials', async () => {
    world.vendor.answer(respond({ object: 'error', message: `No room for ${VENDOR_SECRET}`, code: 400, choices: [] }))
    const { answer } = await send('/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }] })
    expectError(answer, { condition: 'invalid_request', message: /^The model's vendor says: No room for \[hidden\]$/ })
  })

  test('request errors say nothing about the health of the deployment, however many there are', async () => {
    world.vendor.answer(respond(TOO_LONG))
    const body = { messages: [{ role: 'user', content: 'x' }], stream: true }
    for (let turn = 0; turn < 12; turn++) expect((await send('/v1/chat/completions', body)).answer.status).toBe(400)
  })

  test.each([false, true])('a limit is a 429, streamed: %s', async (stream) => {
    world.vendor.answer(respond(LIMITED))
    const { answer } = await send('/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }], stream })
    expectError(answer, { condition: 'too_many_requests', message: /at its limit/ })
    // The deployment rests for as long as the vendor asked, which is not said.
    await new Promise((resolve) => setTimeout(resolve, 5100))
  })
})

describe('after the first text', () => {
  test.each([
    ['a message and a code', 'data: {"code":"InternalError","message":"secret words","request_id":"1"}'],
    ['a message in an event of errors', 'event: error\ndata: {"message":"secret words","type":"x"}'],
    ['a field of errors', 'error: {"code":500,"message":"secret words","type":"server_error"}'],
    ['a status of its own', 'data: {"id":"c","choices":null,"base_resp":{"status_code":1027,"status_msg":"secret words"}}'],
    ['a detail', 'data: {"detail":"secret words"}'],
  ])('%s is a failure, not an end', async (_, event) => {
    world.vendor.answer((call) => {
      startStream(call)
      call.response.end(`data: ${JSON.stringify(chatChunk('Hello'))}\n\n${event}\n\ndata: [DONE]\n\n`)
    })
    const chat = await send('/v1/chat/completions', { messages: [{ role: 'user', content: 'x' }], stream: true })
    const events = eventsOf(chat.answer.body)
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ error: { type: 'server_error' } })
    expect(chat.answer.text).not.toContain('secret words')
    expect(chat.record.outcome).toBe('cut')
    const response = await send('/v1/responses', { input: 'x', stream: true })
    expect(response.answer.text).toContain('"type":"response.failed"')
  })
})
