import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Condition } from '#lib/domain/errors'
import { type ApiWorld, expectError, openApiWorld, UPSTREAM_MODEL, untilModelKnown, VENDOR_SECRET } from '../fakes/api-world.ts'
import { type Call, chatAnswer, sendJson, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { hangUp, neverRespond, respondError, respondMegabytes, respondRaw, respondText } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { freePort } from '../support/gateway.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const upstream = { upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET }
  await addModel(world.pool, { id: 'fake/nowhere', baseUrl: `http://127.0.0.1:${await freePort()}/v1`, ...upstream })
  const shortTimeouts = { headersTimeoutMs: 300, idleTimeoutMs: 300 }
  await addModel(world.pool, { id: 'fake/hasty', baseUrl: world.vendor.url, ...upstream, ...shortTimeouts })
  await addModel(world.pool, { id: 'fake/claude', baseUrl: world.vendor.url, kind: 'anthropic', ...upstream })
  await addModel(world.pool, { id: 'fake/gemini', baseUrl: world.vendor.url, kind: 'google', ...upstream })
  await untilModelKnown(world, 'fake/gemini')
})
afterAll(() => world?.[Symbol.asyncDispose]())

interface Expected {
  condition: Condition
  message?: RegExp
  param?: string
  retryAfter?: string
  /** The status of the vendor's answer in the trace. */
  tracedStatus?: number | null
}

const respondJson =
  (value: object): ((call: Call) => void) =>
  (call) =>
    sendJson(call, value)

/** Expects that a vendor's failure before it has answered costs nothing, and that nothing of it is shown. */
async function expectFailed(handler: (call: Call) => void | Promise<void>, expected: Expected, body: object = {}): Promise<void> {
  for (const stream of [false, true]) {
    const holder = await world.holder()
    world.vendor.answer(handler)
    const answer = await world.chat(holder.secret, { stream, ...body })
    expectError(answer, expected)
    expect(answer.header('retry-after')).toBe(expected.retryAfter ?? null)
    world.expectNoLeaks(answer)
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'vendor_failed', status: answer.status, errorCode: answer.error().code, charged: 0n })
    expect(record.hold).toBeGreaterThan(0n)
    expect(record.trace.length).toBe(1)
    if (expected.tracedStatus !== undefined) expect(record.trace[0]?.status).toBe(expected.tracedStatus)
    await world.expectSettledBooks(holder, 1)
  }
}

describe('a vendor that cannot be reached or does not answer', () => {
  const cases: [string, (call: Call) => void, Expected, object?][] = [
    [
      'refuses the connection',
      neverRespond,
      { condition: 'unavailable', message: /cannot be reached/, retryAfter: '5', tracedStatus: null },
      { model: 'fake/nowhere' },
    ],
    [
      'takes too long to begin',
      neverRespond,
      { condition: 'unavailable', message: /took too long/, retryAfter: '5', tracedStatus: null },
      { model: 'fake/hasty' },
    ],
    ['hangs up', hangUp, { condition: 'vendor_failed', message: /ended the answer early/, tracedStatus: null }],
    ['speaks no HTTP', respondRaw('SSH-2.0-OpenSSH_9.6\r\n'), { condition: 'vendor_failed', message: /ended the answer early/ }],
    [
      'ends inside its headers',
      respondRaw('HTTP/1.1 200 OK\r\nContent-Ty'),
      { condition: 'vendor_failed', message: /ended the answer early/ },
    ],
    [
      'sends bad headers',
      respondRaw('HTTP/1.1 200 OK\r\nA\0B: c\r\n\r\n{}'),
      { condition: 'vendor_failed', message: /ended the answer early/ },
    ],
  ]
  test.each(cases)('that %s', async (_, handler, expected, body) => {
    await expectFailed(handler, expected, body)
  })
})

describe("a vendor's status", () => {
  const vendorError = { message: 'The vendor says so: quota of org-secret0123', type: 'x', code: 'y' }
  const cases: [number, Record<string, string>, Expected][] = [
    [429, { 'retry-after': '7' }, { condition: 'too_many_requests', retryAfter: '7' }],
    [429, { 'retry-after': '0.2' }, { condition: 'too_many_requests', retryAfter: '1' }],
    [429, { 'retry-after': '1000000' }, { condition: 'too_many_requests', retryAfter: '3600' }],
    [
      429,
      { date: 'Wed, 21 Oct 2037 07:27:48 GMT', 'retry-after': 'Wed, 21 Oct 2037 07:28:00 GMT' },
      { condition: 'too_many_requests', retryAfter: '12' },
    ],
    [429, { 'retry-after': 'Wed, 21 Oct 2099 07:28:00 GMT' }, { condition: 'too_many_requests', retryAfter: '3600' }],
    [503, { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }, { condition: 'unavailable', retryAfter: '1' }],
    [429, { 'retry-after': '-1' }, { condition: 'too_many_requests', retryAfter: '5' }],
    [429, {}, { condition: 'too_many_requests', retryAfter: '5' }],
    ...[401, 402, 403, 404, 408, 409].map((status): [number, Record<string, string>, Expected] => [
      status,
      { 'retry-after': '9' },
      { condition: 'unavailable' },
    ]),
    [500, { 'x-should-retry': 'false' }, { condition: 'vendor_failed' }],
    [502, {}, { condition: 'vendor_failed' }],
    [504, {}, { condition: 'vendor_failed' }],
    [529, {}, { condition: 'vendor_failed' }],
    [503, { 'retry-after': '11' }, { condition: 'unavailable', retryAfter: '11' }],
    [204, {}, { condition: 'unavailable' }],
    [205, {}, { condition: 'unavailable' }],
  ]
  test.each(cases)('%s with %o is none of its words', async (status, headers, expected) => {
    const secret = 'set-cookie'
    const handler = respondError(status, vendorError, {
      ...headers,
      [secret]: 'a=b',
      'x-vendor': 'them',
      'openai-organization': 'org-1',
    })
    await expectFailed(handler, {
      ...expected,
      message: /^The model's vendor [a-z ]+\. Try again in a moment\.$/,
      tracedStatus: status,
    })
  })

  test.each([301, 302, 307, 308])('%s is not followed', async (status) => {
    const calls = world.vendor.calls.length
    const handler = respondText('', 'text/html', status, { location: `${world.vendor.url}/elsewhere` })
    await expectFailed(handler, { condition: 'unavailable', tracedStatus: status })
    expect(world.vendor.calls.slice(calls).map((call) => call.path)).toEqual(['/v1/chat/completions', '/v1/chat/completions'])
  })

  test.each([301, 302, 303, 307, 308])(
    '%s takes no credential to another host, whichever way the vendor is asked',
    async (status) => {
      await using redirectTarget = await startFakeVendor()
      world.vendor.answer(({ response }) => void response.writeHead(status, { location: `${redirectTarget.url}/more` }).end())
      for (const model of ['fake/chat', 'fake/claude', 'fake/gemini'])
        for (const stream of [false, true]) {
          const holder = await world.holder()
          const answer = await world.chat(holder.secret, { model, stream })
          expect(answer.status, answer.text).toBeGreaterThanOrEqual(500)
          world.expectNoLeaks(answer)
          expect(answer.text).not.toContain(new URL(redirectTarget.url).host)
          await world.expectSettledBooks(holder, 1)
        }
      expect(redirectTarget.calls).toEqual([])
    },
  )

  test.each([400, 413, 415, 422])('%s passes as a 400 with its words and its param', async (status) => {
    const handler = respondError(status, { message: 'Unsupported value: top_k is 5.', param: 'top_k', type: 'x', code: null })
    await expectFailed(handler, {
      condition: 'invalid_request',
      param: 'top_k',
      message: /says: Unsupported value: top_k is 5\./,
    })
  })

  test.each([
    ['HTML', '<html>nginx</html>'],
    ['nothing', ''],
    ['an error that is a number', '{"error":5}'],
    ['a message that is an object', '{"error":{"message":{"a":1},"param":[1]}}'],
    ['null', 'null'],
  ])('400 with %s for a body is a plain 400', async (_, text) => {
    await expectFailed(respondText(text, 'text/html', 400), {
      condition: 'invalid_request',
      message: /does not accept this request\.$/,
    })
  })

  test.each([
    ['{"error":"too many stops"}', /says: too many stops/],
    ['{"message":"too many stops"}', /says: too many stops/],
  ])('400 with %s keeps the words', async (text, message) => {
    await expectFailed(respondText(text, 'application/json', 400), { condition: 'invalid_request', message })
  })
})

describe('what a vendor says of itself in an error', () => {
  const url = () => new URL(world.vendor.url)
  const cases: [string, () => string, RegExp][] = [
    ['its credential', () => `Incorrect API key provided: ${VENDOR_SECRET}. Look.`, /provided: \[hidden\]\. Look\.$/],
    ['a credential with stars', () => 'Incorrect API key provided: sk-proj-********abcd.', /provided: \[hidden\]\.$/],
    ['a header with one', () => 'Header was: Authorization: Bearer abc.def', /\[hidden\]/],
    ['its base URL', () => `POST ${world.vendor.url}/chat/completions failed`, /says: POST \[hidden\]\/chat\/completions failed/],
    ['another of its addresses', () => `see ${url().origin}/v2/docs`, /says: see \[hidden\]\/v2\/docs/],
    ['its host', () => `no route to ${url().host}`, /says: no route to \[hidden\]/],
    ['its name for the model', () => `The model ${UPSTREAM_MODEL} has no vision.`, /says: The model fake\/chat has no vision\./],
    ['control characters', () => 'a\u0000b\r\nset-cookie: x\u001b[31m', /says: a b set-cookie: x \[31m/],
    ['a novel', () => 'word '.repeat(5000), /^.{400,560}$/s],
  ]
  test.each(cases)('hides %s', async (_, text, message) => {
    await expectFailed((call) => respondError(400, { message: text() })(call), { condition: 'invalid_request', message })
  })

  test('hides it in the param as well', async () => {
    const handler = respondError(400, { message: 'No.', param: `model ${UPSTREAM_MODEL} ${VENDOR_SECRET}` })
    await expectFailed(handler, { condition: 'invalid_request', param: 'model fake/chat [hidden]', message: /says: No\./ })
  })
})

describe('a whole answer that is none', () => {
  const vendorFailed: Expected = { condition: 'vendor_failed' }
  const cases: [string, (call: Call) => void | Promise<void>, object?][] = [
    ['is HTML', respondText('<html><body>Bad gateway</body></html>\n\n<p>more</p>\n\n', 'text/html')],
    ['is empty', respondText('', 'application/json')],
    ['is JSON that stops', respondText('{"id":"x","choices":[{"ind', 'application/json')],
    ['has no choices', respondText('{"id":"x","usage":{"prompt_tokens":5,"completion_tokens":5}}', 'application/json')],
    ['has choices that are none', respondText('{"choices":{"0":{}}}', 'application/json')],
    ['has an empty list of choices', respondJson({ ...chatAnswer(''), choices: [] })],
    ['has a choice of nothing', respondJson({ ...chatAnswer(''), choices: [null, {}, { message: null }] })],
    ['has a choice without a message', respondJson({ ...chatAnswer(''), choices: [{ index: 0, finish_reason: 'stop' }] })],
    ['is one of completions', respondJson({ ...chatAnswer(''), object: 'text_completion', choices: [{ index: 0, text: 'Hi' }] })],
    [
      'is one of embeddings',
      respondJson({ object: 'list', data: [{ object: 'embedding', embedding: [1] }], usage: usageOf(9, 0) }),
    ],
    ['is a response', respondJson({ object: 'response', status: 'completed', output: [], usage: usageOf(9, 9) })],
    ['is a list of models', respondJson({ object: 'list', data: [{ id: 'gpt', object: 'model' }] })],
    [
      'is an error beside an answer and a count',
      respondJson({ ...chatAnswer('Half of it'), error: { message: `No room for ${VENDOR_SECRET}`, code: 502 } }),
    ],
    ['is an error of vLLM without a status', respondJson({ object: 'error', message: VENDOR_SECRET, choices: [] })],
    [
      'is compressed in a way that it does not name',
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(gzipSync(JSON.stringify(chatAnswer('Hello'))))
      },
    ],
    ['has a status of success and no content', respondText('', 'application/json', 202)],
    ['is half of one, and says so', respondText('{"id":"x","choices":[{"ind', 'application/json', 206)],
    ['is an array', respondText('[]', 'application/json')],
    ['is null', respondText('null', 'application/json')],
    ['is an error with status 200', respondText('{"error":{"message":"x","code":502}}', 'application/json')],
    [
      'is shorter than it says',
      respondRaw('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"choices":[]}'),
    ],
    ['ends inside a chunk', respondRaw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{"choices":[]}')],
    [
      'stops to come',
      ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"choices":')
      },
      { model: 'fake/hasty' },
    ],
  ]
  test.each(cases)('because it %s is a failure', async (_, handler, body) => {
    await expectFailed(handler, vendorFailed, body)
  })

  test('because it has 100 MB is a failure, and does not fill the memory', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondMegabytes(100))
    const answer = await world.chat(holder.secret)
    expectError(answer, vendorFailed)
    await world.vendor.calls.at(-1)?.disconnected
    expect((await world.record(holder.accountId)).trace[0]?.detail).toMatch(/64 MiB/)
    expect(await world.gateway.rss()).toBeLessThan(700_000_000)
    await world.expectSettledBooks(holder, 1)
  })
})

describe('an answer is whole', () => {
  const body = JSON.stringify(chatAnswer('well', usageOf(10, 5)))
  const rawResponse = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  const cases: [string, string][] = [
    [
      'behind answers that only say that it comes',
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n${rawResponse}`,
    ],
    ['with more behind it than it says', `${rawResponse}HTTP/1.1 500 Oops\r\nContent-Length: 3\r\n\r\n???`],
    [
      'with extensions of its chunks, and trailers',
      `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: x-usage\r\n\r\n${Buffer.byteLength(body).toString(16)};a="b"\r\n${body}\r\n0\r\nx-usage: 99\r\n\r\n`,
    ],
    ...['201 Created', '202 Accepted', '203 Non-Authoritative Information', '206 Partial Content'].map(
      (status): [string, string] => [`with the status ${status}`, rawResponse.replace('200 OK', status)],
    ),
    ['that ends with its connection', `HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n${body}`],
  ]
  test.each(cases)('%s', async (_, bytes) => {
    const holder = await world.holder()
    world.vendor.answer(respondRaw(bytes))
    const answer = await world.chat(holder.secret)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.json().choices).toMatchObject([{ message: { content: 'well' } }])
    expect(answer.headers.has('x-usage')).toBe(false)
    expect((await world.record(holder.accountId)).charged).toBe(75_000n)
    await world.expectSettledBooks(holder, 1)
  })
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('an answer that is compressed is read, though nobody asked for that: %s', async (encoding, compress) => {
  const holder = await world.holder()
  world.vendor.answer(({ request, response }) => {
    expect(request.headers['accept-encoding']).toBe('identity')
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding }
    response.writeHead(200, headers).end(compress(JSON.stringify(chatAnswer('well', usageOf(10, 5)))))
  })
  const answer = await world.chat(holder.secret)
  expect(answer.json().choices).toMatchObject([{ message: { content: 'well' } }])
  expect(answer.header('content-encoding')).toBeNull()
  await world.expectSettledBooks(holder, 1)
})

test('the words of an error that is compressed are read too', async () => {
  const holder = await world.holder()
  world.vendor.answer(({ response }) => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    response.writeHead(400, headers).end(gzipSync('{"error":{"message":"too many stops"}}'))
  })
  expectError(await world.chat(holder.secret), { condition: 'invalid_request', message: /says: too many stops/ })
})

test('after all of this the vendor is called as before', async () => {
  const holder = await world.holder()
  world.vendor.answer((call) => sendJson(call, chatAnswer('well', usageOf(10, 5))))
  const answer = await world.chat(holder.secret)
  expect(answer.status).toBe(200)
  expect((await world.record(holder.accountId)).charged).toBe(75_000n)
  await world.expectSettledBooks(holder, 1)
})
