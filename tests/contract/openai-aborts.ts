import { setTimeout as sleep } from 'node:timers/promises'
import { APIConnectionTimeoutError, APIUserAbortError } from 'openai'
import { describe, expect, test } from 'vitest'
import { chatChunk, sendEvent, startStream, usageChunk, usageOf } from '../fakes/vendor.ts'
import { beginStream, expectRejection } from './expectations.ts'
import type { Host } from './world.ts'

const ASK = { model: 'sandbox/chat', messages: [{ role: 'user' as const, content: 'Tell me more' }] }

/** Streams from which the client of the official SDK disconnects. */
export function openAiAborts(host: Host): void {
  describe('streams that are left', () => abortCases(host))
}

function abortCases(host: Host): void {
  test('leaving a stream stops the vendor, and only what came is charged', async () => {
    const account = await host.newAccount()
    const before = host.vendor.calls.length
    host.vendor.answer((call) => beginStream(call, ['one', ' two', ' three']))
    const controller = new AbortController()
    const ask = { ...ASK, model: host.fakeModel, stream: true as const, max_tokens: 1000 }
    const stream = await host.openai({ apiKey: account.key }).chat.completions.create(ask, { signal: controller.signal })
    let text = ''
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      if (text === 'one two three') controller.abort()
    }
    expect(text).toBe('one two three')
    await host.vendor.calls[before]?.disconnected
    const [record] = await account.waitForRecords(1)
    expect(record).toMatchObject({ outcome: 'client_gone', estimated: true, output_units: 3n })
    // $2.50 and $10 per million tokens.
    expect(record?.charged_nano).toBe((record?.input_units ?? 0n) * 2500n + 30_000n)
    expect(record?.input_units).toBeGreaterThan(0n)
    expect(await account.spent()).toBe(record?.charged_nano)
  })

  test.each([
    ['before the vendor has answered', () => undefined],
    ['before the first word', startStream],
  ])('leaving %s stops the vendor at once, and what it read is charged', async (_, answer) => {
    const account = await host.newAccount()
    const before = host.vendor.calls.length
    const called = new Promise<void>((resolve) =>
      host.vendor.answer((call) => {
        answer(call)
        resolve()
      }),
    )
    const controller = new AbortController()
    const ask = { ...ASK, model: host.fakeModel, stream: true as const }
    const options = { signal: controller.signal }
    const pending = host.openai({ apiKey: account.key }).chat.completions.create(ask, options)
    await called
    // A vendor connection that stays silent is cut after 5 s in any case, so this waits only 2 s.
    const disconnected = Promise.race([host.vendor.calls[before]?.disconnected.then(() => 'left'), sleep(2000, 'still there')])
    setTimeout(() => controller.abort(), 50)
    await expectRejection(APIUserAbortError, pending)
    expect(await disconnected).toBe('left')
    const [record] = await account.waitForRecords(1)
    expect(record).toMatchObject({ outcome: 'client_gone', status: 499, output_units: 0n, estimated: true })
    expect(record?.input_units).toBeGreaterThan(0n)
    expect(await account.spent()).toBe(record?.charged_nano)
  })

  test('a client that waits too short gets an APIConnectionTimeoutError, and its vendor is stopped', async () => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key, timeout: 300 })
    const ask = { ...ASK, model: 'sandbox/error-slow', stream: true as const }
    await expectRejection(APIConnectionTimeoutError, client.chat.completions.create(ask))
    // The model itself would answer after 30 s.
    expect(await account.waitForRecords(1)).toMatchObject([{ outcome: 'client_gone', output_units: 0n }])
  })

  test('breaking out of the loop leaves the stream too', async () => {
    const before = host.vendor.calls.length
    host.vendor.answer((call) => beginStream(call, ['one']))
    const stream = await host.openai().chat.completions.create({ ...ASK, model: host.fakeModel, stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content === 'one') break
    await host.vendor.calls[before]?.disconnected
    expect(host.vendor.calls).toHaveLength(before + 1)
  })

  test('leaving stream() is an APIUserAbortError', async () => {
    host.vendor.answer((call) => beginStream(call, ['one']))
    const runner = host.openai().chat.completions.stream({ ...ASK, model: host.fakeModel })
    runner.on('content', () => runner.abort())
    await expectRejection(APIUserAbortError, runner.finalChatCompletion())
  })

  test('after all that, a stream is whole again', async () => {
    host.vendor.answer((call) => {
      beginStream(call, ['all', ' is', ' well'])
      for (const last of [chatChunk(null, 'stop'), usageChunk(usageOf(10, 3)), '[DONE]']) sendEvent(call, last)
      call.response.end()
    })
    const answer = await host
      .openai()
      .chat.completions.stream({ ...ASK, model: host.fakeModel })
      .finalChatCompletion()
    expect(answer.choices[0]?.message.content).toBe('all is well')
  })
}
