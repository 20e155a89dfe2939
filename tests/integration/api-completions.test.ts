import { setTimeout as sleep } from 'node:timers/promises'
import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  type ApiWorld,
  expectError,
  type Holder,
  headersOf,
  openApiWorld,
  UPSTREAM_MODEL,
  untilModelKnown,
  VENDOR_SECRET,
} from '../fakes/api-world.ts'
import { completionAnswer, completionChunk, lastMessage, sayChat } from '../fakes/legacy-vendor.ts'
import { type Call, chatAnswer, chatChunk, sendEvent, sendJson, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { hangUp } from '../fakes/vendor-faults.ts'
import { addModel } from '../support/fixtures.ts'
import { eventsOf, type RawAnswer, RawConnection, requestBytes } from '../support/raw-client.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
  const upstream = { baseUrl: world.vendor.url, upstreamModel: UPSTREAM_MODEL, secret: VENDOR_SECRET }
  await addModel(world.pool, { id: 'fake/instruct', modality: 'completion', contextWindow: 4096, maxOutput: 4096, ...upstream })
  await addModel(world.pool, { id: 'fake/both', capabilities: ['completions'], ...upstream })
  await addModel(world.pool, { id: 'fake/embed', modality: 'embedding', ...upstream })
  await untilModelKnown(world, 'fake/embed')
})
afterAll(() => world?.[Symbol.asyncDispose]())
afterEach(() => expect(world.gateway.log()).not.toMatch(/unhandled|ERR_UNHANDLED|Once upon/i))

// biome-ignore lint/suspicious/noExplicitAny: answers are read field by field
type Json = any

const INSTRUCT = { model: 'fake/instruct' }

function requestOf(secret: string, body: object, extraHeaders: [string, string][] = []) {
  const fullBody = { model: 'fake/chat', prompt: 'Once upon', ...body }
  return { path: '/v1/completions', headers: headersOf(secret, extraHeaders), body: JSON.stringify(fullBody) }
}

async function ask(
  body: object,
  holder?: Holder,
  extraHeaders: [string, string][] = [],
): Promise<{ answer: RawAnswer; holder: Holder }> {
  const caller = holder ?? (await world.holder())
  return { answer: await world.send(requestOf(caller.secret, body, extraHeaders)), holder: caller }
}

const vendorBody = (): Json => world.vendor.calls.at(-1)?.body

/** Puts the choices of a stream together, with the usage that came last. */
function readStream(answer: RawAnswer): { choices: Json[]; chunks: Json[]; usage: Json } {
  const events = eventsOf(answer.body)
  expect(events.at(-1), answer.text).toBe('[DONE]')
  const chunks: Json[] = events.slice(0, -1).map((data) => JSON.parse(data))
  const choices: Json[] = []
  for (const chunk of chunks)
    for (const { index, text, finish_reason } of chunk.choices) {
      const existing = choices[index] ?? { text: '', finish_reason: null }
      choices[index] = { text: existing.text + text, finish_reason: finish_reason ?? existing.finish_reason }
    }
  return { choices, chunks, usage: chunks.at(-1)?.usage }
}

describe('a model that continues texts itself', () => {
  test('gets the request as it came, and is charged by its usage', async () => {
    world.vendor.answer((call) => sendJson(call, completionAnswer([' a time.'], usageOf(1000, 100))))
    const body = {
      ...INSTRUCT,
      suffix: 'end',
      best_of: 2,
      echo: true,
      logprobs: 2,
      seed: 7,
      prompt: ['Once upon', 'x'],
      my_field: [1],
    }
    const { answer, holder } = await ask({ ...body, max_tokens: 200 })
    expect(answer.status, answer.text).toBe(200)
    expect(world.vendor.calls.at(-1)?.path).toBe('/v1/completions')
    expect(vendorBody()).toEqual({ ...body, model: UPSTREAM_MODEL, max_tokens: 200 })
    // 1000 tokens at $2.50 and 100 at $10 per million.
    expect(answer.json()).toMatchObject({
      model: 'fake/instruct',
      object: 'text_completion',
      usage: { prompt_tokens: 1000, cost: 0.0035 },
    })
    expect(await world.record(holder.accountId)).toMatchObject({ charged: 3_500_000n, outcome: 'finished', finishReason: 'stop' })
    world.expectNoLeaks(answer)
    await world.expectSettledBooks(holder, 1)
  })

  test('is told 16 tokens where the request names none, and held for that', async () => {
    world.vendor.answer((call) => sendJson(call, completionAnswer(['x'])))
    const { holder } = await ask({ ...INSTRUCT, prompt: [1, 2, 3] })
    expect(vendorBody()).toMatchObject({ max_tokens: 16, prompt: [1, 2, 3] })
    // (3 tokens, 4 around them and 512 of overhead) at $2.50, 16 at $10 per million, and three nano for rounding.
    expect((await world.record(holder.accountId)).hold).toBe(519n * 2500n + 16n * 10_000n + 3n)
  })

  test('streams, with usage where it is asked for', async () => {
    world.vendor.answer((call) => {
      startStream(call)
      for (const chunk of [completionChunk('Once upon'), completionChunk(' a time', 'stop')]) sendEvent(call, chunk)
      for (const last of [{ ...completionChunk(''), choices: [], usage: usageOf(10, 3) }, '[DONE]']) sendEvent(call, last)
      call.response.end()
    })
    const { answer, holder } = await ask({ ...INSTRUCT, stream: true, stream_options: { include_usage: true }, echo: true })
    expect(vendorBody()).toMatchObject({ stream_options: { include_usage: true } })
    const { choices, chunks, usage } = readStream(answer)
    expect(choices).toEqual([{ text: 'Once upon a time', finish_reason: 'stop' }])
    expect(chunks.every(({ object, model }) => object === 'text_completion' && model === 'fake/instruct')).toBe(true)
    expect(usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 3, cost: 0.000055 })
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ charged: 55_000n, estimated: false })
    await world.expectSettledBooks(holder, 1)
  })

  test('is charged by an estimate where it reports nothing: what comes back of the prompt is no output', async () => {
    const prompt = 'Once upon a time there was a very long beginning of a story'
    world.vendor.answer((call) => sendJson(call, completionAnswer([`${prompt} one two three`], null)))
    const { holder } = await ask({ ...INSTRUCT, prompt, echo: true })
    expect(await world.record(holder.accountId)).toMatchObject({ output: 3n, estimated: true })
  })

  test('writes nothing where max_tokens is 0', async () => {
    world.vendor.answer((call) => sendJson(call, completionAnswer(['Once upon'], usageOf(2, 0))))
    const { answer } = await ask({ ...INSTRUCT, max_tokens: 0, echo: true, logprobs: 1 })
    expect(answer.status, answer.text).toBe(200)
    expect(vendorBody().max_tokens).toBe(0)
  })

  test('is preferred to its own chat', async () => {
    world.vendor.answer((call) => sendJson(call, completionAnswer(['x'])))
    await ask({ model: 'fake/both' })
    expect(world.vendor.calls.at(-1)?.path).toBe('/v1/completions')
  })
})

describe.each([false, true])('a model that only chats, stream: %s', (stream) => {
  const usageAsked = stream ? { stream: true, stream_options: { include_usage: true } } : {}
  const choicesOf = (answer: RawAnswer): Json[] => (stream ? readStream(answer).choices : (answer.json() as Json).choices)
  const usageOfAnswer = (answer: RawAnswer): Json => (stream ? readStream(answer).usage : (answer.json() as Json).usage)

  test('is asked to continue the text', async () => {
    world.vendor.answer(sayChat(() => [' a', ' time']))
    const more = { temperature: 0.5, stop: ['END'], seed: 7, logit_bias: { '5': 1 }, user: 'u', presence_penalty: 1, top_k: 3 }
    const { answer, holder } = await ask({ ...usageAsked, ...more, max_tokens: 20 })
    expect(answer.status, answer.text).toBe(200)
    expect(world.vendor.calls.at(-1)?.path).toBe('/v1/chat/completions')
    const { messages, ...rest } = vendorBody()
    expect(messages).toEqual([
      { role: 'system', content: expect.stringMatching(/^The user sends the beginning of a text/) },
      { role: 'user', content: 'Once upon' },
    ])
    expect(rest).toEqual({ model: UPSTREAM_MODEL, ...more, max_tokens: 20, ...(stream ? usageAsked : {}) })
    expect(choicesOf(answer)).toMatchObject([{ text: ' a time', finish_reason: 'stop' }])
    expect(usageOfAnswer(answer)).toMatchObject({ prompt_tokens: 10, completion_tokens: 2, cost: 0.000045 })
    expect(await world.record(holder.accountId)).toMatchObject({ charged: 45_000n, outcome: 'finished', estimated: false })
    world.expectNoLeaks(answer)
    await world.expectSettledBooks(holder, 1)
  })

  test('gets every prompt as a chat of its own, with n, under one hold', async () => {
    world.vendor.answer(sayChat((text) => [` after ${text}`]))
    const callsBefore = world.vendor.calls.length
    const { answer, holder } = await ask({ ...usageAsked, prompt: ['a', 'b', 'c'], n: 2, echo: true })
    const calls = world.vendor.calls.slice(callsBefore)
    expect(calls.map((call) => [lastMessage(call), call.body.n, call.body.max_tokens])).toEqual([
      ['a', 2, 16],
      ['b', 2, 16],
      ['c', 2, 16],
    ])
    const texts = choicesOf(answer).map(({ text }) => text)
    expect(texts).toEqual(['a after a', 'a after a', 'b after b', 'b after b', 'c after c', 'c after c'])
    expect(usageOfAnswer(answer)).toMatchObject({ prompt_tokens: 30, completion_tokens: 6 })
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ input: 30n, output: 6n, estimated: false })
    expect(record.trace).toHaveLength(1)
    // Six answers of 16 tokens at $10 per million are part of the hold.
    expect(record.hold).toBeGreaterThan(6n * 16n * 10_000n)
    await world.expectSettledBooks(holder, 1)
  })

  test('gets tokens as their text, and a suffix as the end of it', async () => {
    world.vendor.answer(sayChat(() => ['x']))
    await ask({ ...usageAsked, prompt: encode('def f(x):\n'), suffix: '\nprint(f(1))' })
    expect(vendorBody().messages[1].content).toBe('<beginning>def f(x):\n</beginning>\n<end>\nprint(f(1))</end>')
    expect(vendorBody().messages[0].content).toMatch(/Write what stands between them/)
  })

  test('tells log probabilities in the legacy form', async () => {
    const content = [
      {
        token: ' a',
        logprob: -0.1,
        bytes: null,
        top_logprobs: [
          { token: ' a', logprob: -0.1 },
          { token: ' the', logprob: -2 },
        ],
      },
      { token: ' 😀', logprob: -0.5, bytes: null, top_logprobs: [{ token: ' b', logprob: -0.4 }] },
      { token: '!', logprob: -0.2, bytes: null, top_logprobs: [] },
    ]
    world.vendor.answer((call) => {
      if (!stream) {
        const baseAnswer = chatAnswer(' a 😀!')
        sendJson(call, { ...baseAnswer, choices: [{ ...baseAnswer.choices[0], logprobs: { content, refusal: null } }] })
        return
      }
      startStream(call)
      for (const item of content) {
        const chunk = chatChunk(item.token)
        sendEvent(call, { ...chunk, choices: [{ ...chunk.choices[0], logprobs: { content: [item], refusal: null } }] })
      }
      for (const last of [chatChunk(null, 'stop'), usageChunk(usageOf(1, 3)), '[DONE]']) sendEvent(call, last)
      call.response.end()
    })
    const { answer } = await ask({ ...usageAsked, logprobs: 2 })
    expect(vendorBody()).toMatchObject({ logprobs: true, top_logprobs: 2 })
    const reportedLogprobs: Json[] = stream
      ? readStream(answer)
          .chunks.flatMap(({ choices }) => choices.map(({ logprobs }: Json) => logprobs))
          .filter((item) => item !== null)
      : (answer.json() as Json).choices.map(({ logprobs }: Json) => logprobs)
    const joinLogprobs = (name: string) => reportedLogprobs.flatMap((logprobs) => logprobs[name])
    expect(joinLogprobs('tokens')).toEqual([' a', ' 😀', '!'])
    expect(joinLogprobs('token_logprobs')).toEqual([-0.1, -0.5, -0.2])
    expect(joinLogprobs('text_offset')).toEqual([0, 2, 4])
    expect(joinLogprobs('top_logprobs')).toEqual([{ ' a': -0.1, ' the': -2 }, { ' b': -0.4, ' 😀': -0.5 }, { '!': -0.2 }])
  })

  test('that fails for one prompt before anything was sent fails for all, once, and is not charged', async () => {
    const disconnects: Promise<void>[] = []
    world.vendor.answer(async (call) => {
      if (lastMessage(call) !== 'bad') return void disconnects.push(call.disconnected)
      await expect.poll(() => disconnects.length, { interval: 5 }).toBe(2)
      sendJson(call, { error: { message: 'no' } }, 500)
    })
    const { answer, holder } = await ask({ ...usageAsked, prompt: ['a', 'bad', 'c'] })
    expectError(answer, { condition: 'vendor_failed' })
    await Promise.all(disconnects)
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ charged: 0n, outcome: 'vendor_failed' })
    expect(record.trace).toHaveLength(1)
    expect(record.trace[0]).toMatchObject({ status: 500, result: 'failed' })
    await world.expectSettledBooks(holder, 1)
  })

  test.each([
    ['messages', 'prompt'],
    ['messages[1].content', 'prompt'],
    ['max_completion_tokens', 'max_tokens'],
    ['top_logprobs', 'logprobs'],
    ['stop', 'stop'],
  ])("shows the vendor's 400 for one of them, in its own words: %s", async (vendorParam, param) => {
    world.vendor.answer((call) =>
      lastMessage(call) === 'bad' ? sendJson(call, { error: { message: 'Too odd.', param: vendorParam } }, 400) : undefined,
    )
    const { answer } = await ask({ ...usageAsked, prompt: ['a', 'bad'] })
    expectError(answer, { condition: 'invalid_request', param, message: /Too odd/ })
  })

  test('that is hung up on by its vendor for one prompt is not charged', async () => {
    world.vendor.answer((call) => (lastMessage(call) === 'bad' ? hangUp(call) : undefined))
    const { answer, holder } = await ask({ ...usageAsked, prompt: ['a', 'bad'] })
    expect(answer.status).toBeGreaterThanOrEqual(500)
    await world.expectSettledBooks(holder, 1)
    expect((await world.records(holder.accountId, 1))[0]).toMatchObject({ charged: 0n })
  })

  test('repeats an answer with the same Idempotency-Key, at no charge', async () => {
    world.vendor.answer(sayChat(() => [' a', ' time']))
    const key: [string, string][] = [['idempotency-key', 'again']]
    const { answer, holder } = await ask({ ...usageAsked, prompt: ['a', 'b'] }, undefined, key)
    const calls = world.vendor.calls.length
    const { answer: replay } = await ask({ ...usageAsked, prompt: ['a', 'b'] }, holder, key)
    expect(replay.body.toString()).toBe(answer.body.toString())
    expect(world.vendor.calls.length).toBe(calls)
    await world.expectSettledBooks(holder, 1)
  })
})

describe('streams of several prompts', () => {
  const openCalls: Call[] = []
  const openStream = (call: Call): void => {
    openCalls.push(call)
    startStream(call)
    sendEvent(call, chatChunk(` after ${lastMessage(call)}`))
  }
  const finish = (call: Call): void => {
    for (const last of [chatChunk(null, 'stop'), usageChunk(usageOf(10, 2)), '[DONE]']) sendEvent(call, last)
    call.response.end()
  }

  test('a client that leaves stops all of them, and pays for what was made', async () => {
    openCalls.length = 0
    world.vendor.answer(openStream)
    const holder = await world.holder()
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes(requestOf(holder.secret, { stream: true, prompt: ['a', 'b'] })))
    await connection.readHead()
    let received = ''
    while (!received.includes('after a') || !received.includes('after b'))
      received += (await connection.next())?.toString() ?? expect.fail(received)
    connection.destroy()
    await Promise.all(openCalls.map((call) => call.disconnected))
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'client_gone', estimated: true })
    expect(record.output).toBeGreaterThanOrEqual(4n)
    await world.expectSettledBooks(holder, 1)
  })

  test('one that breaks after words were sent ends all of it in an error, and what came is charged', async () => {
    openCalls.length = 0
    world.vendor.answer(openStream)
    const pending = ask({ stream: true, prompt: ['a', 'b'] })
    await expect.poll(() => openCalls.length, { interval: 5 }).toBe(2)
    await sleep(50)
    finish(openCalls[0] as Call)
    await sleep(50)
    ;(openCalls[1] as Call).response.destroy()
    const { answer, holder } = await pending
    const events = eventsOf(answer.body)
    expect(answer.text).not.toContain('[DONE]')
    expect(JSON.parse(events.at(-1) ?? '')).toMatchObject({ error: { code: 'server_error' } })
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'cut', estimated: true })
    await world.expectSettledBooks(holder, 1)
  })

  test('one without usage makes the count of all an estimate', async () => {
    world.vendor.answer((call) => {
      startStream(call)
      for (const chunk of [chatChunk('one two three'), chatChunk(null, 'stop')]) sendEvent(call, chunk)
      if (lastMessage(call) === 'a') sendEvent(call, usageChunk(usageOf(10, 3)))
      sendEvent(call, '[DONE]')
      call.response.end()
    })
    const { answer, holder } = await ask({ stream: true, prompt: ['a', 'b'] })
    expect(readStream(answer).choices.map(({ text }) => text)).toEqual(['one two three', 'one two three'])
    const record = await world.record(holder.accountId)
    expect(record.estimated).toBe(true)
    expect(Number(record.output)).toBeGreaterThanOrEqual(5)
  })
})

describe('a prompt of null', () => {
  test('is the mark between two texts for a model that continues texts, and passes as it is', async () => {
    world.vendor.answer((call) => sendJson(call, completionAnswer(['x'])))
    expect((await ask({ ...INSTRUCT, prompt: null })).answer.status).toBe(200)
    expect(vendorBody().prompt).toBeNull()
  })
})
