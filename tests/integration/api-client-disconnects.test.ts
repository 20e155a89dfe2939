import { setTimeout as sleep } from 'node:timers/promises'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type ApiWorld,
  chatBody,
  type Holder,
  headersOf,
  openApiWorld,
  UPSTREAM_MODEL,
  untilModelKnown,
  VENDOR_SECRET,
} from '../fakes/api-world.ts'
import { type Call, chatAnswer, chatChunk, sendEvent, sendJson, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { hangUp, neverRespond, respondThen } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { eventsOf, RawConnection, requestBytes } from '../support/raw-client.ts'

const READER_TIMEOUT_MS = 1000
const REQUEST_TIMEOUT_MS = 4000
let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld({ READER_TIMEOUT_MS: String(READER_TIMEOUT_MS), REQUEST_TIMEOUT_MS: String(REQUEST_TIMEOUT_MS) })
  const upstream = { upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET }
  await addModel(world.pool, { id: 'fake/thinks', baseUrl: world.vendor.url, capabilities: ['hidden-reasoning'], ...upstream })
  await untilModelKnown(world, 'fake/thinks')
})
afterAll(() => world?.[Symbol.asyncDispose]())

interface SentRequest {
  holder: Holder
  connection: RawConnection
  call: Call
}

/** Sends a request and waits until the vendor has it. */
async function startRequest(
  handler: (call: Call) => void | Promise<void>,
  body: object = {},
  headers: [string, string][] = [],
): Promise<SentRequest> {
  const holder = await world.holder()
  world.vendor.answer(handler)
  const callsBefore = world.vendor.calls.length
  const connection = await RawConnection.open(world.url)
  connection.send(requestBytes({ headers: headersOf(holder.secret, headers), body: JSON.stringify(chatBody(body)) }))
  await expect.poll(() => world.vendor.calls.length, { interval: 5 }).toBe(callsBefore + 1)
  const call = world.vendor.calls.at(-1)
  if (!call) throw new Error('no call')
  return { holder, connection, call }
}

/** Reads a stream until it has shown this text. */
async function readUntil(connection: RawConnection, text: string): Promise<void> {
  expect((await connection.readHead()).status).toBe(200)
  let received = ''
  while (!received.includes(text)) received += (await connection.next())?.toString() ?? expect.fail(`ended after ${received}`)
}

const expectWithin = async (ms: number, what: Promise<void>, name: string): Promise<void> => {
  const late = sleep(ms, 'late' as const, { ref: false })
  expect(await Promise.race([what.then(() => 'in time' as const), late]), name).toBe('in time')
}

const words = ['One', ' two', ' three']
const finish = (call: Call): void => {
  for (const chunk of [chatChunk(' four', 'stop'), usageChunk(usageOf(20, 4)), '[DONE]']) sendEvent(call, chunk)
  call.response.end()
}

describe('a client that leaves a stream of visible words stops the vendor and pays for what went in and out', () => {
  const cases: [string, (call: Call) => void | Promise<void>][] = [
    ['before the vendor answers', neverRespond],
    ['before the first event', startStream],
    [
      'while the vendor only keeps the connection',
      (call) => {
        startStream(call)
        call.response.write(': wait\n\n')
      },
    ],
  ]
  test.each(cases)('%s', async (_, handler) => {
    const { holder, connection, call } = await startRequest(handler, { stream: true })
    await sleep(30)
    connection.destroy()
    await expectWithin(1500, call.disconnected, 'the vendor is hung up on')
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'client_gone', status: 499, estimated: true, output: 0n })
    expect(record.why).toMatch(/client left/)
    expect(record.input).toBeGreaterThan(5n)
    expect(record.charged).toBe(record.input * 2500n)
    await world.expectSettledBooks(holder, 1)
  })

  test('in mid-stream', async () => {
    const { holder, connection, call } = await startRequest(respondThen(words, neverRespond), { stream: true })
    await readUntil(connection, ' three')
    connection.destroy()
    await expectWithin(1500, call.disconnected, 'the vendor is hung up on')
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'client_gone', status: 499, estimated: true, output: 3n })
    expect(record.charged).toBe(record.input * 2500n + 30_000n)
    await world.expectSettledBooks(holder, 1)
  })

  test('in mid-stream of a vendor that counts with every chunk: it may have made more than it had told', async () => {
    const respondWithUsage = async (call: Call) => {
      startStream(call)
      for (const n of [1, 2, 3]) sendEvent(call, chatChunk(words[n - 1] ?? null, null, { usage: usageOf(20, n) }))
    }
    const { holder, connection, call } = await startRequest(respondWithUsage, { stream: true })
    await readUntil(connection, ' three')
    connection.destroy()
    await expectWithin(1500, call.disconnected, 'the vendor is hung up on')
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'client_gone', estimated: true, output: 3n })
    await world.expectSettledBooks(holder, 1)
  })

  test('in mid-stream by a reset', async () => {
    const { holder, connection, call } = await startRequest(respondThen(words, neverRespond), { stream: true })
    await readUntil(connection, ' three')
    connection.socket.resetAndDestroy()
    await expectWithin(1500, call.disconnected, 'the vendor is hung up on')
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'client_gone', output: 3n })
    await world.expectSettledBooks(holder, 1)
  })

  test('while the vendor sends on and on', async () => {
    const { holder, connection, call } = await startRequest(flood(200_000), { stream: true, max_tokens: 1000 })
    await readUntil(connection, 'word')
    connection.destroy()
    await expectWithin(1500, call.disconnected, 'the vendor is hung up on')
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'client_gone', estimated: true, shortfall: 0n })
    expect(record.charged).toBeLessThanOrEqual(record.hold)
    await world.expectSettledBooks(holder, 1)
  })

  test('but not when it leaves after the end', async () => {
    const { holder, connection } = await startRequest(respondThen(words, finish), { stream: true })
    await readUntil(connection, '[DONE]')
    connection.destroy()
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'finished', estimated: false, charged: 90_000n })
    await world.expectSettledBooks(holder, 1)
  })
})

/** Sends events of about 10 KB as fast as they are read. */
function flood(events: number) {
  return async (call: Call): Promise<void> => {
    startStream(call)
    for (let sent = 0; sent < events && !call.response.destroyed; sent++)
      if (!call.response.write(`data: ${JSON.stringify(chatChunk('word '.repeat(2000)))}\n\n`))
        await Promise.race([new Promise((next) => call.response.once('drain', next)), sleep(200)])
    if (!call.response.destroyed) finish(call)
  }
}

describe('a client that waits for what its model thinks', () => {
  /** Sends the first word, nothing for longer than a quarter of the reader timeout, and then the rest. */
  const respondSlowly = async (call: Call): Promise<void> => {
    startStream(call)
    sendEvent(call, chatChunk('One'))
    await sleep(READER_TIMEOUT_MS * 0.8)
    sendEvent(call, chatChunk(' two'))
    finish(call)
  }

  test('is told that its connection lives, between events, and a repeat is not', async () => {
    const key: [string, string][] = [['idempotency-key', 'thinks']]
    const { holder, connection } = await startRequest(respondSlowly, { stream: true }, key)
    const firstBody = (await connection.readAnswer()).body.toString()
    expect(firstBody).toMatch(/"One".*\n\n(:\n\n)+data: .*" two".*\[DONE\]\n\n$/s)
    expect((await world.chat(holder.secret, { stream: true }, key)).body.toString()).toBe(firstBody.replace(/^:\n\n/gm, ''))
    await world.expectSettledBooks(holder, 1)
  })

  test('reads on with the clients that there are', async () => {
    const holder = await world.holder()
    world.vendor.answer(respondSlowly)
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: holder.secret })
    const messages = [{ role: 'user' as const, content: 'x' }]
    const words: (string | null | undefined)[] = []
    for await (const { choices } of await client.chat.completions.create({ model: 'fake/chat', messages, stream: true }))
      words.push(choices[0]?.delta.content)
    expect(words.join('')).toBe('One two four')
    const events = await client.responses.create({ model: 'fake/chat', input: 'x', stream: true })
    const types: string[] = []
    for await (const { type } of events) types.push(type)
    expect(types.at(-1)).toBe('response.completed')
    await world.expectSettledBooks(holder, 2)
  })

  test('and before the first word nothing is said: a failure is still a plain error', async () => {
    const { connection } = await startRequest(
      async (call) => {
        await sleep(READER_TIMEOUT_MS * 0.8)
        sendJson(call, { error: { message: 'no' } }, 500)
      },
      { stream: true },
    )
    expect((await connection.readAnswer()).status).toBe(500)
  })
})

describe('a client that reads nothing', () => {
  test('has left after its time: the vendor is hung up on, and so is the client', async () => {
    const { holder, connection, call } = await startRequest(flood(200_000), { stream: true, max_tokens: 1000 })
    const started = performance.now()
    await expectWithin(READER_TIMEOUT_MS + 2500, call.disconnected, 'the vendor is hung up on')
    expect(performance.now() - started).toBeGreaterThan(READER_TIMEOUT_MS * 0.8)
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'client_gone', status: 499, estimated: true, shortfall: 0n })
    expect(record.charged).toBeGreaterThan(0n)
    // The client now reads only what was in transit, and then the end of the connection: no [DONE].
    await expectWithin(
      3000,
      connection.readUntilClosed().then(() => undefined),
      'the client is hung up on',
    )
    await world.expectSettledBooks(holder, 1)
  })

  test('does not make the gateway take in what the vendor sends', async () => {
    const rssBefore = await world.gateway.rss()
    const requests = []
    for (let n = 0; n < 8; n++) requests.push(await startRequest(flood(200_000), { stream: true, max_tokens: 1000 }))
    await sleep(READER_TIMEOUT_MS * 0.6)
    expect((await world.gateway.rss()) - rssBefore).toBeLessThan(250_000_000)
    for (const { holder, connection } of requests) {
      await world.record(holder.accountId)
      connection.destroy()
      await world.expectSettledBooks(holder, 1)
    }
  })

  test('but one that reads slowly is served to its end', async () => {
    const { holder, connection } = await startRequest(flood(1500), { stream: true, max_tokens: 1000 })
    expect((await connection.readHead()).status).toBe(200)
    let [bytes, last] = [0, '']
    for (let piece = await connection.next(); piece; piece = await connection.next()) {
      bytes += piece.length
      last = (last + piece.toString()).slice(-100)
      if (Math.floor(bytes / 2_000_000) > Math.floor((bytes - piece.length) / 2_000_000)) await sleep(300)
    }
    expect(last).toContain('[DONE]')
    expect(bytes).toBeGreaterThan(15_000_000)
    expect((await world.record(holder.accountId)).outcome).toBe('finished')
    await world.expectSettledBooks(holder, 1)
  })
})

describe("what a vendor bills unseen runs on without its client, and is paid by the vendor's count", () => {
  test('a whole answer', async () => {
    const { holder, connection, call } = await startRequest(async (vendorCall) => {
      await sleep(200)
      sendJson(vendorCall, chatAnswer('late', usageOf(20, 4)))
    })
    connection.destroy()
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'client_gone', status: 200, estimated: false, charged: 90_000n })
    expect(call.response.writableFinished).toBe(true)
    await world.expectSettledBooks(holder, 1)
  })

  test('a whole answer that fails after its client left costs nothing', async () => {
    const { holder, connection } = await startRequest(async (call) => {
      await sleep(100)
      hangUp(call)
    })
    connection.destroy()
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
    await world.expectSettledBooks(holder, 1)
  })

  test.each([
    ['before its first event', neverRespond, false],
    ['in mid-stream', respondThen(words, neverRespond), true],
  ])('a stream of a model that thinks unseen, left %s', async (_, handler, readsWords) => {
    const { holder, connection, call } = await startRequest(handler, { model: 'fake/thinks', stream: true })
    if (readsWords) await readUntil(connection, ' three')
    else await sleep(30)
    connection.destroy()
    await sleep(150)
    expect(call.response.destroyed, 'the vendor goes on').toBe(false)
    if (!readsWords) startStream(call)
    finish(call)
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({
      outcome: 'client_gone',
      status: 200,
      estimated: false,
      input: 20n,
      output: 4n,
      charged: 90_000n,
    })
    await world.expectSettledBooks(holder, 1)
  })

  test('a stream of a model that thinks unseen, whose reader takes nothing', async () => {
    const { holder, connection, call } = await startRequest(flood(2000), { model: 'fake/thinks', stream: true, max_tokens: 1000 })
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'client_gone', status: 200, estimated: false, charged: 90_000n })
    expect(call.response.writableFinished).toBe(true)
    connection.destroy()
    await world.expectSettledBooks(holder, 1)
  })

  test('a stream of a model that thinks unseen, and whose vendor breaks off: what was counted', async () => {
    const { holder, connection, call } = await startRequest(respondThen(words, neverRespond), {
      model: 'fake/thinks',
      stream: true,
    })
    await readUntil(connection, ' three')
    connection.destroy()
    await sleep(50)
    hangUp(call)
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'client_gone', estimated: true, output: 3n })
    await world.expectSettledBooks(holder, 1)
  })

  test('a stream of a model that thinks unseen, whose vendor breaks off before its first word: nothing', async () => {
    const role = (call: Call) => {
      startStream(call)
      sendEvent(call, { ...chatChunk(null), choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }] })
    }
    const { holder, connection, call } = await startRequest(role, { model: 'fake/thinks', stream: true })
    await readUntil(connection, 'assistant')
    connection.destroy()
    await sleep(50)
    hangUp(call)
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'client_gone', charged: 0n, input: 0n })
    await world.expectSettledBooks(holder, 1)
  })

  test('but not for ever', async () => {
    const { holder, connection, call } = await startRequest(respondThen(words, neverRespond), {
      model: 'fake/thinks',
      stream: true,
    })
    await readUntil(connection, ' three')
    connection.destroy()
    await expectWithin(REQUEST_TIMEOUT_MS + 500, call.disconnected, 'the vendor is hung up on')
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'client_gone', estimated: true, output: 3n })
    await world.expectSettledBooks(holder, 1)
  })

  test.each([true, false])('a request with an Idempotency-Key, whose repeat then has the answer (stream: %s)', async (stream) => {
    const key: [string, string][] = [['idempotency-key', `left-${stream}`]]
    const handler = stream
      ? respondThen(words, neverRespond)
      : async (vendorCall: Call) => {
          await sleep(150)
          sendJson(vendorCall, chatAnswer('One two three four', usageOf(20, 4)))
        }
    const { holder, connection, call } = await startRequest(handler, { stream }, key)
    if (stream) await readUntil(connection, ' two')
    connection.destroy()
    await sleep(50)
    expect(call.response.destroyed, 'the vendor goes on').toBe(false)
    if (stream) finish(call)
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'client_gone', status: 200, charged: 90_000n })
    const calls = world.vendor.calls.length
    const replay = await world.chat(holder.secret, { stream }, key)
    expect(replay.status).toBe(200)
    expect(replay.header('x-tollgate-replayed')).toMatch(/^req_/)
    if (stream) expect(eventsOf(replay.body).join('')).toMatch(/One.* two.* three.* four.*\[DONE\]/s)
    else expect(replay.json()).toMatchObject({ choices: [{ message: { content: 'One two three four' } }] })
    expect(world.vendor.calls.length).toBe(calls)
    await world.expectSettledBooks(holder, 1)
  })
})
