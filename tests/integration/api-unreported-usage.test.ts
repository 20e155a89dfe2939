import { createServer, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ApiWorld,
  chatBody,
  headersOf,
  openApiWorld,
  UPSTREAM_MODEL,
  untilModelKnown,
  VENDOR_SECRET,
} from '../fakes/api-world.ts'
import { type Call, chatAnswer, chatChunk, sendEvent, sendJson, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { hangUp, neverRespond } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { RawConnection, requestBytes } from '../support/raw-client.ts'

const BALANCE = 1_000_000_000n
const [INPUT, OUTPUT, AUDIO] = [2_500n, 10_000n, 40_000n]

let world: ApiWorld
/** A server that accepts connections and never says a word. */
let silentServer: Server

beforeAll(async () => {
  world = await openApiWorld()
  silentServer = createServer((socket) => void socket.on('error', () => undefined))
  await new Promise<void>((resolve) => silentServer.listen(0, '127.0.0.1', resolve))
  const { port } = silentServer.address() as { port: number }
  const upstream = { upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET }
  await addModel(world.pool, { id: 'fake/mute', baseUrl: `https://127.0.0.1:${port}/v1`, ...upstream })
  const units = {
    input: String(INPUT * 1_000_000n),
    output: String(OUTPUT * 1_000_000n),
    audio_input: String(AUDIO * 1_000_000n),
  }
  await addModel(world.pool, { id: 'fake/hears', kind: 'openai', baseUrl: world.vendor.url, units, ...upstream })
  await addModel(world.pool, { id: 'fake/groq', kind: 'groq', baseUrl: world.vendor.url, ...upstream })
  for (const model of ['fake/hears', 'fake/groq']) await untilModelKnown(world, model)
})
afterAll(async () => {
  silentServer?.close()
  await world?.[Symbol.asyncDispose]()
})

const IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(4000)}` } }
const FILE = { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${'A'.repeat(40_000)}` } }
const SOUND = { type: 'input_audio', input_audio: { data: 'A'.repeat(16_000), format: 'wav' } }
const messagesWith = (...parts: object[]) => [{ role: 'user', content: [{ type: 'text', text: 'Describe it.' }, ...parts] }]

/** Sends all words at once, and the usage a little later. */
const respondWithLateUsage = (usage: object) => async (call: Call) => {
  startStream(call)
  for (const word of ['All', ' of', ' it.']) sendEvent(call, chatChunk(word))
  sendEvent(call, chatChunk('', 'stop'))
  await sleep(300)
  if (call.response.destroyed) return
  sendEvent(call, usageChunk(usage))
  sendEvent(call, '[DONE]')
  call.response.end()
}

/** Requests a stream, and disconnects `afterMs` after it has shown this text; without waiting for text if it is null. */
async function abandonStream(body: object, text: string | null, afterMs = 0) {
  const holder = await world.holder({}, BALANCE)
  const connection = await RawConnection.open(world.url)
  const requestBody = JSON.stringify(chatBody({ stream: true, max_tokens: 10, ...body }))
  connection.send(requestBytes({ headers: headersOf(holder.secret), body: requestBody }))
  if (text !== null) {
    await connection.readHead()
    for (let received = ''; !received.includes(text); )
      received += (await connection.next())?.toString() ?? expect.fail(`ended after ${received}`)
  }
  await sleep(afterMs)
  connection.destroy()
  const record = await world.record(holder.accountId)
  await world.expectSettledBooks(holder, 1)
  return record
}

describe("a stream whose words do not tell what it costs is paid by the vendor's count, though its client left", () => {
  test.each<[string, object]>([
    ['images', { messages: messagesWith(IMAGE, IMAGE) }],
    ['a file', { messages: messagesWith(FILE) }],
    ['a sound', { messages: messagesWith(SOUND) }],
    ['several choices', { n: 4 }],
    ['thoughts that Groq hides', { reasoning_format: 'hidden' }],
    ['thoughts that are left out', { include_reasoning: false }],
    ['thoughts that OpenRouter leaves out', { reasoning: { exclude: true } }],
  ])('with %s', async (_, body) => {
    world.vendor.answer(respondWithLateUsage(usageOf(9000, 8)))
    expect(await abandonStream(body, '"stop"')).toMatchObject({
      outcome: 'client_gone',
      estimated: false,
      charged: 9000n * INPUT + 8n * OUTPUT,
    })
  })
})

test('where no vendor counts them, images count as the most that they can cost, and files as what is held for', async () => {
  const recordWithoutUsage = async (content: object) => {
    const holder = await world.holder({}, BALANCE)
    world.vendor.answer((call) => sendJson(call, chatAnswer('It is a cat.', null)))
    await world.chat(holder.secret, { max_tokens: 10, messages: messagesWith(content) })
    return await world.record(holder.accountId)
  }
  const [{ image_tokens: maxImageTokens } = { image_tokens: 0 }] = (
    await world.pool.query<{ image_tokens: number }>("select image_tokens from model where id = 'fake/chat'")
  ).rows
  const image = await recordWithoutUsage(IMAGE)
  expect(image).toMatchObject({ outcome: 'finished', estimated: true })
  expect(image.input).toBeGreaterThan(BigInt(maxImageTokens))
  expect(image.input).toBeLessThan(BigInt(maxImageTokens) + 60n)
  const file = await recordWithoutUsage(FILE)
  expect(file.charged).toBeLessThanOrEqual(file.hold)
  expect(file.input).toBeGreaterThan(128_000n)
})

describe('a client that leaves before its first word', () => {
  test('pays nothing while no vendor has got the request', async () => {
    const record = await abandonStream({ model: 'fake/mute' }, null, 400)
    expect(record).toMatchObject({ outcome: 'client_gone', status: 499, charged: 0n, input: 0n })
    expect(record.trace).toHaveLength(1)
  })

  test('pays nothing where the vendor had refused it', async () => {
    world.vendor.answer(async (call) => {
      call.response.writeHead(503, { 'content-type': 'application/json' }).write('{"error":')
      await neverRespond()
    })
    expect(await abandonStream({}, null, 300)).toMatchObject({ outcome: 'client_gone', charged: 0n })
  })
})

describe('a running count that came before a stream broke off stands for no less than was delivered', () => {
  test.each<[string, string, object]>([
    ['chat', '/v1/chat/completions', chatBody({ max_tokens: 1000 })],
    ['response', '/v1/responses', { model: 'fake/chat', input: 'Hello there.', max_output_tokens: 1000 }],
    ['completion', '/v1/completions', { model: 'fake/groq', prompt: 'Hello there.', max_tokens: 1000 }],
  ])('of a %s', async (_, path, body) => {
    const holder = await world.holder()
    world.vendor.answer(async (call) => {
      startStream(call)
      sendEvent(call, chatChunk('a', null, { usage: usageOf(20, 1) }))
      for (let words = 0; words < 200; words++) sendEvent(call, chatChunk(' word'))
      await sleep(100)
      hangUp(call)
    })
    const requestBody = JSON.stringify({ stream: true, ...body })
    await world.send({ path, headers: headersOf(holder.secret), body: requestBody })
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'cut', estimated: true, input: 20n })
    expect(record.output).toBeGreaterThanOrEqual(200n)
    expect(record.output).toBeLessThan(210n)
    await world.expectSettledBooks(holder, 1)
  })
})

test('so does one that came before a vendor ended early, after its client had left', async () => {
  world.vendor.answer(async (call) => {
    startStream(call)
    sendEvent(call, chatChunk('a', null, { usage: usageOf(20, 1) }))
    for (let words = 0; words < 200; words++) sendEvent(call, chatChunk(' word'))
    await sleep(200)
    call.response.end()
  })
  const record = await abandonStream({ n: 2, max_tokens: 500 }, ' word')
  expect(record).toMatchObject({ outcome: 'client_gone', status: 499, estimated: true })
  expect(record.output).toBeGreaterThanOrEqual(200n)
})

test('a count that was given after the last word is exact, though no end followed', async () => {
  const holder = await world.holder({}, BALANCE)
  world.vendor.answer(async (call) => {
    startStream(call)
    sendEvent(call, chatChunk('a b c'))
    sendEvent(call, usageChunk(usageOf(20, 9)))
    await sleep(100)
    hangUp(call)
  })
  await world.chat(holder.secret, { stream: true })
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'cut', estimated: false, output: 9n })
  await world.expectSettledBooks(holder, 1)
})

test('a count of nothing is none', async () => {
  const holder = await world.holder({}, BALANCE)
  world.vendor.answer((call) => sendJson(call, chatAnswer('A long answer of many words', usageOf(0, 0))))
  await world.chat(holder.secret)
  const record = await world.record(holder.accountId)
  expect(record).toMatchObject({ outcome: 'finished', estimated: true })
  expect(record.output).toBeGreaterThan(3n)
  await world.expectSettledBooks(holder, 1)
})

describe('sounds in a chat', () => {
  test('are billed as such where the vendor counts them, and held for', async () => {
    const holder = await world.holder({}, BALANCE)
    const usage = { ...usageOf(10_000, 1), prompt_tokens_details: { audio_tokens: 9_990, cached_tokens: 0 } }
    world.vendor.answer((call) => sendJson(call, chatAnswer('Birds.', usage)))
    const answer = await world.chat(holder.secret, { model: 'fake/hears', max_tokens: 5, messages: messagesWith(SOUND) })
    const record = await world.record(holder.accountId)
    expect(record.charged).toBe(9_990n * AUDIO + 10n * INPUT + OUTPUT)
    expect(record.hold).toBeGreaterThanOrEqual(16_000n * AUDIO)
    expect(answer.json()).toMatchObject({ usage: { prompt_tokens: 10_000, prompt_tokens_details: { audio_tokens: 9_990 } } })
    await world.expectSettledBooks(holder, 1)
  })

  test('of a file are held for too, of which no size tells how long they are', async () => {
    const holder = await world.holder({}, BALANCE * 10n)
    const usage = { ...usageOf(20_000, 1), prompt_tokens_details: { audio_tokens: 19_000 } }
    world.vendor.answer((call) => sendJson(call, chatAnswer('Birds.', usage)))
    await world.chat(holder.secret, { model: 'fake/hears', max_tokens: 5, messages: messagesWith(FILE) })
    expect(await world.record(holder.accountId)).toMatchObject({
      charged: 19_000n * AUDIO + 1000n * INPUT + OUTPUT,
      shortfall: 0n,
    })
  })

  test('are in the request itself: an address is refused, because nobody knows what it holds', async () => {
    for (const data of ['https://example.com/hour-long.mp3', 'HTTP://x', 's3://bucket/key'])
      await world.expectRefused(
        (secret) => ({
          headers: headersOf(secret),
          body: JSON.stringify(
            chatBody({ messages: messagesWith({ type: 'input_audio', input_audio: { data, format: 'mp3' } }) }),
          ),
        }),
        { condition: 'invalid_request', param: 'messages[0].content[1].input_audio.data', message: /base64/ },
      )
  })

  test('are estimated as such where nobody counts them', async () => {
    const holder = await world.holder({}, BALANCE)
    world.vendor.answer((call) => sendJson(call, chatAnswer('Birds.', null)))
    await world.chat(holder.secret, { model: 'fake/hears', max_tokens: 5, messages: messagesWith(SOUND) })
    const { charged } = await world.record(holder.accountId)
    expect(charged).toBeGreaterThan(250n * AUDIO)
    expect(charged).toBeLessThan(250n * AUDIO + 100n * OUTPUT)
    await world.expectSettledBooks(holder, 1)
  })
})

describe('a whole answer that could be too long to be taken', () => {
  test.each<[string, object, string]>([
    ['of many choices', { n: 128, max_tokens: 16_000 }, 'n'],
    ['with log probabilities', { n: 4, max_tokens: 16_000, logprobs: true, top_logprobs: 20 }, 'logprobs'],
  ])('%s is refused before it is made', async (_, body, param) => {
    await world.expectRefused((secret) => ({ headers: headersOf(secret), body: JSON.stringify(chatBody(body)) }), {
      condition: 'invalid_request',
      param,
      message: /for a stream/,
    })
  })

  test('and one without a cap of its own gets one that fits', async () => {
    const holder = await world.holder({}, 1_000_000n * BALANCE)
    world.vendor.answer((call) => sendJson(call, chatAnswer('ok', usageOf(10, 1))))
    const answer = await world.chat(holder.secret, { n: 128, max_tokens: null, logprobs: true })
    expect(answer.status, answer.text).toBe(200)
    const vendorBody = world.vendor.calls.at(-1)?.body as { max_tokens: number }
    expect(vendorBody.max_tokens * 128 * 328).toBeLessThanOrEqual(64 * 1024 * 1024)
  })
})
