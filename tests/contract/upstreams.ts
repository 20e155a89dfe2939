import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { ChatOpenAI } from '@langchain/openai'
import { generateText } from 'ai'
import { BadRequestError, RateLimitError } from 'openai'
import { describe, expect, test } from 'vitest'
import { chatAnswer, chatChunk, sendEvent, sendJson, usageOf } from '../fakes/vendor.ts'
import { AIMOCK_COST_NANO, AIMOCK_USAGE } from './aimock-fixtures.ts'
import { beginStream, costOf, expectRejection, readAll } from './expectations.ts'
import type { Host } from './world.ts'

const SENTENCE = 'An independent stand-in says this sentence.'
const user = (content: string) => ({ role: 'user' as const, content })

/** The body of the last call, as aimock received it. */
const receivedBy = (host: Host): Record<string, unknown> => (host.aimock.getLastRequest()?.body ?? {}) as Record<string, unknown>

function aimockCases(host: Host): void {
  const ask = { model: host.aimockModel, messages: [user('Please say the sentence')] }

  test('a whole answer passes and is charged by the usage that aimock reports', async () => {
    const account = await host.newAccount()
    const answer = await host.openai({ apiKey: account.key }).chat.completions.create({ ...ask, seed: 11, max_tokens: 500 })
    expect(answer.choices[0]?.message.content).toBe(SENTENCE)
    expect(answer.model).toBe(host.aimockModel)
    expect(answer.usage).toMatchObject(AIMOCK_USAGE)
    expect(costOf(answer.usage)).toBe(AIMOCK_COST_NANO)
    expect(await account.spent()).toBe(AIMOCK_COST_NANO)
    expect(receivedBy(host)).toMatchObject({ model: 'gpt-4o', seed: 11, max_tokens: 500 })
  })

  test('a stream passes and is charged the same', async () => {
    const account = await host.newAccount()
    const client = host.openai({ apiKey: account.key })
    const chunks = await readAll(
      await client.chat.completions.create({ ...ask, stream: true, stream_options: { include_usage: true } }),
    )
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe(SENTENCE)
    expect(costOf(chunks.at(-1)?.usage)).toBe(AIMOCK_COST_NANO)
    expect(await account.spent()).toBe(AIMOCK_COST_NANO)
  })

  test('a stream without usage for the client is charged the same', async () => {
    const account = await host.newAccount()
    const chunks = await readAll(await host.openai({ apiKey: account.key }).chat.completions.create({ ...ask, stream: true }))
    expect(chunks.filter((chunk) => chunk.usage != null)).toEqual([])
    expect(await account.spent()).toBe(AIMOCK_COST_NANO)
    expect(receivedBy(host)).toMatchObject({ stream_options: { include_usage: true } })
  })

  test('tools go there and back', async () => {
    const client = host.openai()
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    const tools = [{ type: 'function' as const, function: { name: 'get_weather', parameters } }]
    const question = user('What is the weather in Oslo?')
    const first = await client.chat.completions.create({ model: host.aimockModel, messages: [question], tools })
    const message = first.choices[0]?.message
    expect(message?.tool_calls).toMatchObject([
      { id: 'call_oslo', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } },
    ])
    if (!message) throw new Error('there is no message')
    const messages = [question, message, { role: 'tool' as const, tool_call_id: 'call_oslo', content: 'minus four' }]
    const second = await client.chat.completions.stream({ model: host.aimockModel, messages, tools }).finalChatCompletion()
    expect(second.choices[0]?.message.content).toBe('It is cold in Oslo.')
  })

  test('structured output is parsed', async () => {
    const answer = await host.openai().chat.completions.create({
      model: host.aimockModel,
      messages: [user('Please describe Oslo')],
      response_format: { type: 'json_object' },
    })
    expect(JSON.parse(answer.choices[0]?.message.content ?? '')).toEqual({ city: 'Oslo', people: 700_000 })
  })

  test('its errors become the SDK’s classes', async () => {
    const client = host.openai()
    const say = (text: string) => client.chat.completions.create({ model: host.aimockModel, messages: [user(text)] })
    const limit = await expectRejection(RateLimitError, say('be at your limit'))
    expect(limit.headers.get('retry-after')).toBe('3')
    const mistake = await expectRejection(BadRequestError, say('refuse the request'))
    expect(mistake.message).toContain('The temperature does not suit this model.')
  })

  test('the AI SDK and LangChain get the same sentence', async () => {
    const { baseURL, key: apiKey } = host
    const { fetch } = host.recorder
    const provider = createOpenAICompatible({ name: 'tollgate', baseURL, apiKey, fetch })
    const chat = new ChatOpenAI({ model: host.aimockModel, apiKey, configuration: { baseURL, fetch } })
    const { text } = await generateText({ model: provider(host.aimockModel), prompt: 'Please say the sentence' })
    expect(text).toBe(SENTENCE)
    expect((await chat.invoke('Please say the sentence')).text).toBe(SENTENCE)
  })
}

function fakeVendorCases(host: Host): void {
  const ask = { model: host.fakeModel, messages: [user('Hi')] }

  test('cached input is priced apart, and unknown fields reach the vendor', async () => {
    const account = await host.newAccount()
    const usage = usageOf(1000, 100, { prompt_tokens_details: { cached_tokens: 400 } })
    host.vendor.answer((call) => sendJson(call, chatAnswer('Hello.', usage)))
    const extra = { a_field_of_tomorrow: { kept: true } }
    const answer = await host.openai({ apiKey: account.key }).chat.completions.create({ ...ask, ...extra })
    // 600 tokens at $2.50, 400 at $1.25 and 100 at $10 per million.
    expect(costOf(answer.usage)).toBe(3_000_000n)
    expect(await account.spent()).toBe(3_000_000n)
    expect(host.vendor.calls.at(-1)?.body).toMatchObject({ model: 'upstream-model', ...extra })
    expect(host.vendor.calls.at(-1)?.headers.authorization).toBeUndefined()
  })

  test('an answer without usage is charged by an estimate, and says what was counted', async () => {
    const account = await host.newAccount()
    host.vendor.answer((call) => sendJson(call, chatAnswer('one two three', null)))
    const answer = await host.openai({ apiKey: account.key }).chat.completions.create(ask)
    expect(answer.usage?.completion_tokens).toBe(3)
    expect(await account.waitForRecords(1)).toMatchObject([{ outcome: 'finished', estimated: true, output_units: 3n }])
    expect(await account.spent()).toBe(costOf(answer.usage))
  })

  test('a stream without usage is charged by an estimate', async () => {
    const account = await host.newAccount()
    host.vendor.answer((call) => {
      beginStream(call, ['one', ' two', ' three'])
      for (const last of [chatChunk(null, 'stop'), '[DONE]']) sendEvent(call, last)
      call.response.end()
    })
    const stream = host
      .openai({ apiKey: account.key })
      .chat.completions.stream({ ...ask, stream_options: { include_usage: true } })
    const answer = await stream.finalChatCompletion()
    expect(answer.choices[0]?.message.content).toBe('one two three')
    expect(answer.usage?.completion_tokens).toBe(3)
    expect(await account.spent()).toBe(costOf(answer.usage))
  })
}

/** The core cases again with upstreams that speak HTTP: an independent stand-in, and our own fake. */
export function upstreams(host: Host): void {
  describe('aimock', () => aimockCases(host))
  describe('the fake vendor', () => fakeVendorCases(host))
}
