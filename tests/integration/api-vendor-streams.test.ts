import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ApiWorld,
  expectError,
  headersOf,
  openApiWorld,
  UPSTREAM_MODEL,
  untilModelKnown,
  VENDOR_SECRET,
} from '../fakes/api-world.ts'
import { type Call, chatAnswer, chatChunk, sendEvent, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { hangUp, neverRespond, respondBytes, respondText, respondThen, streamText } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { eventsOf, type RawAnswer } from '../support/raw-client.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld({ REQUEST_TIMEOUT_MS: '2000' })
  const upstream = { upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET }
  const shortTimeouts = { headersTimeoutMs: 300, idleTimeoutMs: 300 }
  await addModel(world.pool, { id: 'fake/hasty', baseUrl: world.vendor.url, ...upstream, ...shortTimeouts })
  await untilModelKnown(world, 'fake/hasty')
})
afterAll(() => world?.[Symbol.asyncDispose]())

type Handler = (call: Call) => void | Promise<void>
const role = { ...chatChunk(null), choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] }
const failure = { error: { message: `The secret of ${VENDOR_SECRET}`, code: 'overloaded' } }
/** The first and the last event of a stream of POST /v1/responses. */
const responseEvents = ['response.created', 'response.completed'].map((type) => ({
  type,
  response: { id: 'resp_1', object: 'response', model: UPSTREAM_MODEL, output: [], usage: null },
}))
const respondCompressed =
  (text: string, bytes = Number.POSITIVE_INFINITY): Handler =>
  ({ response }) => {
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }
    response.writeHead(200, headers).end(gzipSync(text).subarray(0, bytes))
  }
const respondEarlyHints =
  (text: string): Handler =>
  ({ response }) => {
    response.writeProcessing()
    response.writeEarlyHints({ link: '</x>; rel=preload' })
    response.writeHead(200, { 'content-type': 'text/event-stream', trailer: 'x-usage' })
    response.write(text)
    response.addTrailers({ 'x-usage': '99' })
    response.end()
  }
const end = [chatChunk(null, 'stop'), usageChunk(usageOf(10, 3)), '[DONE]']

interface Chunk {
  model?: string
  choices?: { delta?: { content?: string }; finish_reason?: string | null }[]
  usage?: unknown
  error?: { message: string; type: string; code: string }
}
const chunksOf = (answer: RawAnswer): Chunk[] =>
  eventsOf(answer.body)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as Chunk)
const textOf = (answer: RawAnswer): string =>
  chunksOf(answer)
    .map((chunk) => chunk.choices?.[0]?.delta?.content ?? '')
    .join('')

describe('a stream that fails before there is anything to show is a plain error and costs nothing', () => {
  const cases: [string, Handler, string?][] = [
    ['because it is HTML', respondBytes('<html>\n\n<body>Bad gateway</body>\n\n</html>\n\n', 10, 'text/html')],
    ['because it is half of a whole answer', respondText(JSON.stringify(chatAnswer('Hello')).slice(0, -9), 'application/json')],
    ['because it is a whole answer without choices', respondText('{"id":"x","choices":[]}', 'application/json')],
    [
      'because it is a whole answer whose choice has no message',
      respondText(JSON.stringify({ ...chatAnswer(''), choices: [{ index: 0, finish_reason: 'stop' }] }), 'application/json'),
    ],
    ['because it is the whole answer of another endpoint', respondText('{"object":"list","data":[]}', 'application/json')],
    ['because it is empty', respondBytes('')],
    ['because it is done at once', respondBytes(streamText(['[DONE]']))],
    ['because it is done with its role', respondBytes(streamText([role, '[DONE]']))],
    ['because it ends after its role', respondBytes(streamText([role]))],
    ['because it ends after its role and a comment, byte by byte', respondBytes(`${streamText([role])}: wait\n\n`, 1)],
    ['because it ends inside the event after its role', respondBytes(`${streamText([role])}data: {"choices"`)],
    ['because it is done with its role and a count', respondBytes(streamText([role, usageChunk(usageOf(10, 3)), '[DONE]']))],
    ['because it has a count and no choice', respondBytes(streamText([usageChunk(usageOf(10, 3)), '[DONE]']))],
    ['because its choices are no list', respondBytes(streamText([{ ...chatChunk('x'), choices: {} }, '[DONE]']))],
    ['because it is the stream of another endpoint', respondBytes(streamText([...responseEvents, '[DONE]']))],
    ['because it is compressed and cut off', respondCompressed(streamText([role, chatChunk('Hello'), ...end]), 20)],
    ['because an error comes with a count', respondBytes(streamText([role, { ...usageChunk(usageOf(10, 3)), ...failure }]))],
    ['because it has comments only', respondBytes(': one\n\n: two\n\n')],
    ['because its first event is no JSON', respondBytes(streamText(['{"choices": [', '[DONE]']))],
    ['because its first event is a number', respondBytes(streamText(['17', '[DONE]']))],
    ['because its first event is an array', respondBytes(streamText(['[]', '[DONE]']))],
    ['because its first event is an error', respondBytes(streamText([failure, '[DONE]']))],
    ['because its first event is an error, after comments', respondBytes(`: wait\n\n${streamText([failure])}`, 5)],
    ['because an error comes with the role', respondBytes(streamText([role, failure]))],
    [
      'because its first event has 20 MB',
      respondBytes(Buffer.concat([Buffer.from('data: {"x":"'), Buffer.alloc(20_000_000, 0x61)]), 65_536),
    ],
    ['because nothing comes after its headers', respondThen([], neverRespond), 'fake/hasty'],
    ['because it ends inside its first event', respondBytes('data: {"choices":[{"index":0,"delta":{"content":"Hal')],
  ]
  test.each(cases)('%s', async (_, handler, model = 'fake/chat') => {
    const holder = await world.holder()
    world.vendor.answer(handler)
    const answer = await world.chat(holder.secret, { model, stream: true })
    expectError(answer, { condition: 'vendor_failed' })
    world.expectNoLeaks(answer)
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'vendor_failed', status: 500, charged: 0n, output: 0n })
    expect(record.trace).toEqual([expect.objectContaining({ status: 200 })])
    expect(record.trace[0]?.result).not.toBe('answered')
    await world.expectSettledBooks(holder, 1)
  })
})

test.each([
  ['/v1/responses', 'input', [role]],
  ['/v1/responses', 'input', [role, usageChunk(usageOf(10, 3))]],
  ['/v1/completions', 'prompt', [role]],
  ['/v1/completions', 'prompt', [role, usageChunk(usageOf(10, 3))]],
])('%s is not answered either by a chat that has only a role, %#', async (path, field, events) => {
  const holder = await world.holder()
  world.vendor.answer(respondBytes(streamText([...events, '[DONE]'])))
  const body = JSON.stringify({ model: 'fake/chat', [field]: 'x', stream: true })
  const answer = await world.send({ path, headers: headersOf(holder.secret), body })
  expectError(answer, { condition: 'vendor_failed' })
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
  await world.expectSettledBooks(holder, 1)
})

describe('a stream that breaks after something was shown ends with an error event and no [DONE]', () => {
  const words = ['One', ' two', ' three']
  const cases: [string, Handler, string?][] = [
    ['because the vendor hangs up', respondThen(words, hangUp)],
    ['because it ends without a word', respondThen(words, ({ response }) => void response.end())],
    [
      'inside an event',
      respondThen(words, ({ response, request }) => {
        response.write('data: {"choices":[{"index":0,"delta":{"content":" HALF')
        setTimeout(() => request.socket.destroy(), 30)
      }),
    ],
    [
      'because it ends where every event has said that nothing has ended',
      respondBytes(streamText(words.map((word) => chatChunk(word, '')))),
    ],
    [
      'because a choice ends in an error',
      respondBytes(streamText([...words.map((word) => chatChunk(word)), chatChunk('', 'error'), '[DONE]'])),
    ],
    ['because an event is no JSON', respondThen(words, ({ response }) => void response.write('data: {"choi\n\n'))],
    ['because the vendor says so', respondThen(words, (call) => sendEvent(call, failure))],
    [
      'because the vendor says so in one breath with text and a count',
      respondThen(words, (call) => sendEvent(call, { ...chatChunk(' HALF', 'stop', { usage: usageOf(900, 900) }), ...failure })),
    ],
    ['because the vendor falls silent', respondThen(words, neverRespond), 'fake/hasty'],
    ['because it takes longer than any request may', respondThen(words, drip)],
    [
      'because an event has 20 MB',
      respondThen(words, async ({ response }) => {
        response.write('data: {"x":"')
        for (let megabyte = 0; megabyte < 20 && !response.destroyed; megabyte++) {
          response.write(Buffer.alloc(1_000_000, 0x61))
          await sleep(1)
        }
        response.end()
      }),
    ],
  ]

  async function drip({ response }: Call): Promise<void> {
    for (let tries = 0; tries < 100 && !response.destroyed; tries++) {
      response.write(': wait\n\n')
      await sleep(100)
    }
  }

  test.each(cases)('%s', async (_, handler, model = 'fake/chat') => {
    const holder = await world.holder()
    world.vendor.answer(handler)
    const answer = await world.chat(holder.secret, { model, stream: true })
    expect(answer.status).toBe(200)
    expect(textOf(answer)).toBe('One two three')
    expect(answer.text).not.toContain('HALF')
    expect(answer.text).not.toContain('[DONE]')
    const last = chunksOf(answer).at(-1)
    expect(last).toEqual({ error: { type: 'server_error', code: 'server_error', param: null, message: expect.any(String) } })
    expect(answer.text, 'it is the vendor that failed').not.toContain('The gateway')
    world.expectNoLeaks(answer)
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'cut', status: 500, errorCode: 'server_error', estimated: true, output: 3n })
    expect(record.why).toMatch(/delivered/)
    expect(record.input).toBeGreaterThan(5n)
    expect(record.charged).toBe(record.input * 2500n + 30_000n)
    await world.expectSettledBooks(holder, 1)
  })

  test('and costs nothing where only the role was shown', async () => {
    const holder = await world.holder()
    world.vendor.answer(async (call) => {
      respondBytesOpen(call, streamText([role]))
      // Longer than the opening of a stream is held back.
      await sleep(600)
      sendEvent(call, failure)
    })
    const answer = await world.chat(holder.secret, { stream: true })
    expect(answer.status).toBe(200)
    expect(chunksOf(answer).at(-1)?.error?.code).toBe('server_error')
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', status: 500, charged: 0n })
    await world.expectSettledBooks(holder, 1)
  })

  test('and costs what the vendor had counted so far, where it counts with every chunk', async () => {
    const holder = await world.holder()
    world.vendor.answer(async (call) => {
      respondBytesOpen(call, streamText([1, 2, 3].map((n) => chatChunk(` ${n}`, null, { usage: usageOf(20, n) }))))
      await sleep(60)
      return hangUp(call)
    })
    const answer = await world.chat(holder.secret, { stream: true })
    expect(textOf(answer)).toBe(' 1 2 3')
    expect(await world.record(holder.accountId)).toMatchObject({
      outcome: 'cut',
      estimated: false,
      input: 20n,
      output: 3n,
      charged: 80_000n,
    })
    await world.expectSettledBooks(holder, 1)
  })

  function respondBytesOpen({ response }: Call, bytes: string): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(bytes)
  }
})

describe('a stream that breaks off after its finish reason is cut', () => {
  const text = chatChunk('one two three')
  const stop = chatChunk(null, 'stop')
  test.each([
    ['if nothing was counted', [text, stop], { estimated: true, output: 3n }],
    [
      'if only its beginning was counted',
      [chatChunk('', null, { usage: usageOf(20, 1) }), text, stop],
      { input: 20n, output: 4n },
    ],
    ['if more came after both', [stop, usageChunk(usageOf(20, 1)), text], { input: 20n, output: 4n }],
  ])('%s', async (_, events, measured) => {
    const holder = await world.holder()
    world.vendor.answer(async (call) => {
      startStream(call)
      for (const event of [role, ...events]) sendEvent(call, event)
      await sleep(60)
      hangUp(call)
    })
    const answer = await world.chat(holder.secret, { stream: true })
    expect(chunksOf(answer).at(-1)?.error?.code).toBe('server_error')
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'cut', estimated: true, ...measured })
    await world.expectSettledBooks(holder, 1)
  })
})

describe('a stream is whole', () => {
  /** Breaks off without having said that this was all. */
  const breakOffAfter =
    (bytes: string): Handler =>
    async (call) => {
      startStream(call)
      call.response.write(bytes)
      await sleep(60)
      hangUp(call)
    }
  const pieces = ['Gr\u00fc\u00df', 'e \u{1f600}', ' \u4f60\u597d "x"\\n']
  const contentChunks = pieces.map((piece) => chatChunk(piece))
  const allEvents = [role, ...contentChunks, ...end]
  const text = pieces.join('')
  const cases: [string, Handler][] = [
    ['in one piece', respondBytes(streamText(allEvents))],
    ['cut at every byte', respondBytes(streamText(allEvents), 1)],
    ['cut at every second byte, with CRLF', respondBytes(streamText(allEvents, '\r\n\r\n'), 2)],
    ['with CRLF, cut at every byte', respondBytes(streamText(allEvents, '\r\n\r\n'), 1)],
    ['with CR', respondBytes(streamText(allEvents, '\r\r'), 3)],
    [
      'with white space in its JSON',
      respondBytes(streamText(allEvents.map((item) => (typeof item === 'string' ? item : spaced(item))))),
    ],
    ['without a space after data:', respondBytes(streamText(allEvents).replaceAll('data: ', 'data:'))],
    ['without a space after data:, with CRLF', respondBytes(streamText(allEvents, '\r\n\r\n').replaceAll('data: ', 'data:'))],
    [
      'with comments and other fields',
      respondBytes(`: hello\n\n${streamText(allEvents).replaceAll('data: {', ': x\nid: 5\nevent: e\ndata: {')}`, 7),
    ],
    [
      'with comments between its events',
      respondBytes(streamText(allEvents).replaceAll('\n\n', `\n\n: ${VENDOR_SECRET}\n\nevent: ping\n\n`)),
    ],
    ['and complete before its vendor breaks off', breakOffAfter(streamText(allEvents).replace('data: [DONE]\n\n', ''))],
    ['without an empty line at its end', respondBytes(streamText(allEvents).trimEnd())],
    ['with a byte order mark, and a time to come back', respondBytes(`\ufeffretry: 3000\n\n${streamText(allEvents)}`, 1)],
    ['with its [DONE] behind blanks, and more behind it', respondBytes(streamText(allEvents).replace('[DONE]', ' [DONE] bye'))],
    ['with its [DONE] between blanks', respondBytes(streamText(allEvents).replace('[DONE]', '\t [DONE]  '))],
    [
      'with blanks before its [DONE], and no empty line behind that',
      respondBytes(streamText(allEvents).replace('[DONE]\n\n', '  [DONE]')),
    ],
    ['with CR and without an empty line at its end', respondBytes(streamText(allEvents, '\r\r').trimEnd(), 4)],
    [
      'without a space in its [DONE], and no empty line behind that',
      respondBytes(streamText(allEvents).replace('data: [DONE]', 'data:[DONE]').trimEnd()),
    ],
    [
      'with a name of the event of its [DONE], and no empty line behind that',
      respondBytes(streamText(allEvents).replace('data: [DONE]', 'event: end\ndata: [DONE]').trimEnd()),
    ],
    ['behind answers that only say that it comes, and with trailers', respondEarlyHints(streamText(allEvents))],
    [
      'with an empty text in place of no end',
      respondBytes(streamText(allEvents).replaceAll('"finish_reason":null', '"finish_reason":""'), 40),
    ],
    ['with an end in Anthropic’s words', respondBytes(streamText(allEvents).replace('"stop"', '"end_turn"'))],
    ['without [DONE]', respondBytes(streamText(allEvents.slice(0, -1)))],
    ['without [DONE] and with empty lines at its end', respondBytes(`${streamText(allEvents.slice(0, -1))}\n\n\n`, 5)],
    ['with more behind its [DONE]', respondBytes(`${streamText(allEvents)}${streamText([chatChunk('NOT THIS'), failure])}`)],
    ...[201, 202, 203, 206].map((status): [string, Handler] => [
      `with the status ${status}`,
      respondText(streamText(allEvents), 'text/event-stream', status),
    ]),
    ['compressed, though nobody asked for that', respondCompressed(streamText(allEvents))],
    ['labelled as something else', respondBytes(streamText(allEvents), 50, 'text/plain')],
    [
      'with data over two lines',
      respondBytes(streamText(allEvents.map((item) => (typeof item === 'string' ? item : twoLines(item))))),
    ],
    [
      'with names of models inside',
      respondBytes(streamText(allEvents.map((item) => (typeof item === 'string' ? item : nested(item))))),
    ],
  ]

  function spaced(item: object): string {
    return JSON.stringify(item).replaceAll('":', '": ')
  }
  function twoLines(item: object): string {
    return JSON.stringify(item).replace(',"', ',\ndata: "')
  }
  function nested(item: object): object {
    return { vendor: { model: 'a' }, ...item, last: '"model":"b"' }
  }

  test.each(cases)('%s', async (_, handler) => {
    const holder = await world.holder()
    world.vendor.answer(handler)
    const answer = await world.chat(holder.secret, { stream: true })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.header('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(textOf(answer)).toBe(text)
    expect(eventsOf(answer.body).at(-1)).toBe('[DONE]')
    expect(eventsOf(answer.body).filter((data) => data === '[DONE]').length).toBe(1)
    for (const chunk of chunksOf(answer)) expect(chunk.model).toBe('fake/chat')
    expect(chunksOf(answer).some((chunk) => chunk.usage)).toBe(false)
    expect(new Set(chunksOf(answer).map((chunk) => chunk.choices?.[0]?.finish_reason))).toEqual(new Set([null, 'stop']))
    expect(answer.text).not.toContain('NOT THIS')
    for (const event of answer.body.toString().split('\n\n')) expect(event).toMatch(/^(?:data: (?:\{[^\r\n]+\}|\[DONE\])|:|)$/)
    world.expectNoLeaks(answer)
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({
      outcome: 'finished',
      status: 200,
      finishReason: 'stop',
      input: 10n,
      output: 3n,
      charged: 55_000n,
    })
    expect(record.estimated).toBe(false)
    await world.expectSettledBooks(holder, 1)
  })

  test('and one that never ends after [DONE] is hung up on', async () => {
    const holder = await world.holder()
    world.vendor.answer(({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).write(streamText(allEvents))
    })
    const started = performance.now()
    const answer = await world.chat(holder.secret, { stream: true })
    expect(textOf(answer)).toBe(text)
    expect(performance.now() - started, 'the client does not wait for it').toBeLessThan(900)
    await world.vendor.calls.at(-1)?.disconnected
    await world.expectSettledBooks(holder, 1)
  })

  test('and keep-alives of the vendor reach the client as such, with nothing in them', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondBytes(`${streamText([role])}: OPENROUTER PROCESSING\n\n${streamText(allEvents.slice(1))}`))
    const answer = await world.chat(holder.secret, { stream: true })
    expect(answer.text).not.toContain('OPENROUTER')
    expect(answer.body.toString()).toContain('\n\n:\n\ndata: ')
  })
})
