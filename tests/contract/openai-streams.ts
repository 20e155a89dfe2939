import { APIError } from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { describe, expect, test } from 'vitest'
import { chatChunk, sendEvent, startStream } from '../fakes/vendor.ts'
import { beginStream, costOf, dictate, expectBrokenStream, expectNotCharged, expectRejection, readAll } from './expectations.ts'
import { Trip } from './openai-chat.ts'
import { eventsOf } from './recorder.ts'
import type { Host } from './world.ts'

const MODEL = 'sandbox/chat'
const ASK = { model: MODEL, messages: [{ role: 'user' as const, content: 'Tell me more' }] }
const COUNT = {
  model: MODEL,
  messages: [
    { role: 'system' as const, content: dictate('one two three four five') },
    { role: 'user' as const, content: 'Count' },
  ],
}

const event = (data: object): string => `data: ${JSON.stringify(data)}\n\n`

function completeStreamCases(host: Host): void {
  test('a stream arrives in pieces that make the whole answer', async () => {
    const chunks = await readAll(await host.openai().chat.completions.create({ ...COUNT, stream: true }))
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('one two three four five')
    expect(chunks.length).toBeGreaterThan(5)
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1)
    expect(new Set(chunks.map((chunk) => chunk.model))).toEqual(new Set([MODEL]))
    expect(chunks[0]?.choices[0]?.delta.role).toBe('assistant')
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    expect(eventsOf(host.recorder.last.text).at(-1)).toBe('[DONE]')
  })

  test('usage that was not asked for is not shown, and is charged all the same', async () => {
    const account = await host.newAccount()
    const chunks = await readAll(await host.openai({ apiKey: account.key }).chat.completions.create({ ...ASK, stream: true }))
    expect(chunks.filter((chunk) => chunk.usage != null || chunk.choices.length === 0)).toEqual([])
    expect(await account.spent()).toBeGreaterThan(0n)
  })

  test('usage that was asked for comes in a last chunk, with its cost', async () => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key })
    const chunks = await readAll(
      await client.chat.completions.create({ ...ASK, stream: true, stream_options: { include_usage: true } }),
    )
    const last = chunks.at(-1)
    expect(last?.choices).toEqual([])
    expect(last?.id).toBe(chunks[0]?.id)
    expect(last?.usage?.total_tokens).toBe((last?.usage?.prompt_tokens ?? 0) + (last?.usage?.completion_tokens ?? 0))
    expect(await account.spent()).toBe(costOf(last?.usage))
    expect(chunks.slice(0, -1).every((chunk) => chunk.usage == null)).toBe(true)
  })

  test('stream() gathers what create() would have answered', async () => {
    const client = host.openai()
    const deltas: string[] = []
    const runner = client.chat.completions
      .stream({ ...ASK, stream_options: { include_usage: true } })
      .on('content', (delta) => deltas.push(delta))
    const streamed = await runner.finalChatCompletion()
    const plain = await client.chat.completions.create(ASK)
    expect(streamed.choices[0]?.message.content).toBe(plain.choices[0]?.message.content)
    expect(deltas.join('')).toBe(plain.choices[0]?.message.content)
    expect(streamed.usage).toMatchObject({ ...plain.usage })
    expect(await runner.totalUsage()).toMatchObject({ total_tokens: plain.usage?.total_tokens })
  })

  test('n=2 streams two choices side by side', async () => {
    const answer = await host
      .openai()
      .chat.completions.stream({ ...ASK, n: 2 })
      .finalChatCompletion()
    const [a, b] = answer.choices
    expect(answer.choices.map((choice) => choice.finish_reason)).toEqual(['stop', 'stop'])
    expect(a?.message.content).not.toBe(b?.message.content)
    expect(b?.message.content).toContain('choice 2 of 2')
  })

  test('a cap ends a stream with "length"', async () => {
    const answer = await host
      .openai()
      .chat.completions.stream({ ...COUNT, max_tokens: 2 })
      .finalChatCompletion()
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'one two' } })
  })

  test('log probabilities are streamed', async () => {
    const answer = await host
      .openai()
      .chat.completions.stream({ ...COUNT, logprobs: true })
      .finalChatCompletion()
    const tokens = answer.choices[0]?.logprobs?.content ?? []
    expect(tokens.map(({ token }) => token).join('')).toBe('one two three four five')
  })

  test('structured output is parsed at the end of a stream', async () => {
    const answer = await host
      .openai()
      .chat.completions.stream({ ...ASK, response_format: zodResponseFormat(Trip, 'trip') })
      .finalChatCompletion()
    const parsed = answer.choices[0]?.message.parsed
    expect(Trip.parse(parsed)).toEqual(parsed)
  })

  test('a repeat with the same Idempotency-Key is replayed, and charged once', async () => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key, defaultHeaders: { 'Idempotency-Key': crypto.randomUUID() } })
    const ask = { ...ASK, stream: true as const, stream_options: { include_usage: true } }
    const first = await readAll(await client.chat.completions.create(ask))
    const spent = await account.spent()
    const again = await readAll(await client.chat.completions.create(ask))
    expect(again).toEqual(first)
    expect(spent).toBe(costOf(first.at(-1)?.usage))
    expect(await account.spent()).toBe(spent)
    expect(host.recorder.last.headers.get('x-tollgate-replayed')).toMatch(/^req_/)
  })
}

function brokenStreamCases(host: Host): void {
  test('a stream that the vendor cuts is an error, not an end; what came is charged', async () => {
    const account = await host.newAccount()
    const ask = { ...ASK, model: 'sandbox/error-disconnect', stream: true as const }
    const stream = await host.openai({ apiKey: account.key }).chat.completions.create(ask)
    const pieces: string[] = []
    const reading = (async () => {
      for await (const chunk of stream) pieces.push(chunk.choices[0]?.delta.content ?? '')
    })()
    const error = await expectRejection(APIError, reading)
    expect(error).toMatchObject({ type: 'server_error', code: 'server_error' })
    expect(pieces.join('')).not.toBe('')
    expectBrokenStream(host.recorder.last)
    const [record] = await account.waitForRecords(1)
    expect(record).toMatchObject({ outcome: 'cut', estimated: true })
    expect(await account.spent()).toBe(record?.charged_nano)
    expect(record?.output_units).toBeGreaterThan(0n)
    expect(record?.output_units).toBeLessThanOrEqual(BigInt(pieces.length))
  })

  test('stream() rejects its final answer when the vendor cuts', async () => {
    const runner = host.openai().chat.completions.stream({ ...ASK, model: 'sandbox/error-disconnect' })
    await expectRejection(APIError, runner.finalChatCompletion())
    expectBrokenStream(host.recorder.last)
  })

  test('a stream that turns into nonsense is an error', async () => {
    const stream = await host.openai().chat.completions.create({ ...ASK, model: 'sandbox/error-malformed', stream: true })
    await expectRejection(APIError, readAll(stream))
    expectBrokenStream(host.recorder.last)
  })

  test('a stream without a finish reason and without [DONE] is an error', async () => {
    host.vendor.answer((call) => {
      beginStream(call, ['Half of'])
      call.response.end()
    })
    const stream = await host.openai().chat.completions.create({ ...ASK, model: host.fakeModel, stream: true })
    await expectRejection(APIError, readAll(stream))
    expectBrokenStream(host.recorder.last)
  })

  test('an error inside the vendor’s stream is an error here, without the vendor’s words; what came is charged', async () => {
    const account = await host.newAccount()
    host.vendor.answer((call) => {
      const error = { message: 'engine eu-7 ran out of memory', type: 'server_error', code: 'oom' }
      beginStream(call, ['one'])
      // A last word and the error, in one packet.
      setTimeout(() => call.response.end(event(chatChunk(' two')) + event({ error })), 50)
    })
    const ask = { ...ASK, model: host.fakeModel, stream: true as const }
    const stream = await host.openai({ apiKey: account.key }).chat.completions.create(ask)
    let text = ''
    const reading = (async () => {
      for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
    })()
    const error = await expectRejection(APIError, reading)
    expect(error.message).not.toContain('eu-7')
    expect(text).toBe('one two')
    expectBrokenStream(host.recorder.last)
    expect(await account.waitForRecords(1)).toMatchObject([{ outcome: 'cut', output_units: 2n, estimated: true }])
  })

  test('after its error a broken stream says nothing more, and no [DONE]', async () => {
    const answer = await host.recorder.fetch(`${host.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${host.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...ASK, model: 'sandbox/error-disconnect', stream: true }),
    })
    const text = await answer.text()
    expect(host.recorder.last.complete).toBe(true)
    expect(eventsOf(text).filter((data) => data.includes('"error"'))).toHaveLength(1)
    expectBrokenStream(host.recorder.last)
  })

  test('a vendor that fails before its first word is a plain error with a status, and free', async () => {
    const account = await host.newAccount()
    host.vendor.answer((call) => {
      startStream(call)
      sendEvent(call, { error: { message: 'overloaded', type: 'server_error' } })
      call.response.end()
    })
    const ask = { ...ASK, model: host.fakeModel, stream: true as const }
    const error = await expectRejection(APIError, host.openai({ apiKey: account.key }).chat.completions.create(ask))
    expect(error.status).toBe(500)
    await expectNotCharged(account, 500, 'vendor_failed')
  })
}

/** Streams through the official SDK, complete and broken. */
export function openAiStreams(host: Host): void {
  describe('streams', () => completeStreamCases(host))
  describe('broken streams', () => brokenStreamCases(host))
}
