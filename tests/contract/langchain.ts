import { ChatOpenAI, type ChatOpenAIFields } from '@langchain/openai'
import { describe, expect, test } from 'vitest'
import { beginStream, dictate, expectBrokenStream, PNG_URL, readAll } from './expectations.ts'
import { Trip } from './openai-chat.ts'
import type { Host } from './world.ts'

const chatOf = (host: Host, fields: ChatOpenAIFields = {}) =>
  new ChatOpenAI({
    model: 'sandbox/chat',
    apiKey: host.key,
    maxRetries: 0,
    configuration: { baseURL: host.baseURL, fetch: host.recorder.fetch },
    ...fields,
  })

const WEATHER = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

/** The declared type is lost in the package's generics. */
const usageOf = (answer: object): { input_tokens: number; output_tokens: number; total_tokens: number } | undefined =>
  (answer as { usage_metadata?: { input_tokens: number; output_tokens: number; total_tokens: number } }).usage_metadata

/** The error with which a promise is rejected. LangChain wraps the errors of the SDK below it, and keeps their fields. */
async function rejectionOf(
  promise: Promise<unknown>,
): Promise<{ name: string; status?: number; code?: string; message: string }> {
  return await promise.then(
    (value) => {
      throw new Error(`it was not rejected, but answered ${JSON.stringify(value).slice(0, 400)}`)
    },
    (error: unknown) => error as { name: string; status?: number; code?: string; message: string },
  )
}

function answerCases(host: Host): void {
  test('invoke answers with text, usage and a finish reason', async () => {
    const answer = await chatOf(host).invoke('Hello there')
    expect(answer.text).toContain('You said: "Hello there".')
    expect(answer.response_metadata.finish_reason).toBe('stop')
    const usage = usageOf(answer)
    expect(usage?.total_tokens).toBe((usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0))
    expect(usage?.output_tokens).toBeGreaterThan(0)
  })

  test('a conversation with a system message is understood, and a cap has its effect', async () => {
    const answer = await chatOf(host, { maxTokens: 2 }).invoke([
      ['system', dictate('one two three')],
      ['human', 'Count'],
    ])
    expect(answer.text).toBe('one two')
    expect(answer.response_metadata.finish_reason).toBe('length')
  })

  test('stream answers in pieces, with usage', async () => {
    const chunks = await readAll(await chatOf(host, { streamUsage: true }).stream('Hello there'))
    const message = await chatOf(host).invoke('Hello there')
    expect(chunks.length).toBeGreaterThan(3)
    expect(chunks.map((chunk) => chunk.text).join('')).toBe(message.text)
    const usage = chunks.map(usageOf).filter((found) => found !== undefined)
    expect(usage.at(-1)?.total_tokens).toBe(usageOf(message)?.total_tokens)
  })

  test('batch answers several at once, in order', async () => {
    const found = await chatOf(host).batch(['first', 'second', 'third'])
    expect(found.map((answer) => /You said: "(\w+)"/.exec(answer.text)?.[1])).toEqual(['first', 'second', 'third'])
  })

  test('an image is sent and received', async () => {
    const content = [
      { type: 'text', text: 'What is this?' },
      { type: 'image_url', image_url: { url: PNG_URL } },
    ]
    const answer = await chatOf(host).invoke([{ role: 'user', content }])
    expect(answer.text).toMatch(/I received 1 image \(image\/png, \d+ bytes\)/)
  })
}

function toolCases(host: Host): void {
  test('bound tools are called, and their results come back in the reply', async () => {
    const chat = chatOf(host).bindTools([WEATHER])
    const question = { role: 'user', content: 'Use get_weather for Oslo' }
    const first = await chat.invoke([question])
    const [call] = first.tool_calls ?? []
    expect(first.tool_calls).toHaveLength(1)
    expect(call).toMatchObject({ name: 'get_weather', args: { city: expect.any(String) } })
    const result = { role: 'tool', content: 'minus four degrees', tool_call_id: call?.id ?? '' }
    const second = await chat.invoke([question, first, result])
    expect(second.text).toContain('The tool get_weather answered: "minus four degrees".')
  })

  test('streamed calls are put together', async () => {
    const chunks = await readAll(await chatOf(host).bindTools([WEATHER]).stream('Use get_weather for Oslo'))
    const [first, ...rest] = chunks
    const message = rest.reduce((sum, chunk) => sum?.concat(chunk), first)
    expect(message?.tool_calls).toMatchObject([{ name: 'get_weather', args: { city: expect.any(String) } }])
  })

  test.each(['jsonSchema', 'functionCalling', 'jsonMode'] as const)('structured output by %s', async (method) => {
    const chat = chatOf(host).withStructuredOutput(method === 'jsonMode' ? { type: 'object' } : Trip, { method, name: 'trip' })
    const found = await chat.invoke('Plan a trip to Oslo. Answer in JSON.')
    if (method === 'jsonMode') expect(found).toMatchObject({ simulated: true })
    else expect(Trip.parse(found)).toEqual(found)
  })
}

function errorCases(host: Host): void {
  test.each([
    ['a wrong key', { apiKey: 'sk-tg-wrong' }, 401, 'invalid_api_key'],
    ['an unknown model', { model: 'nobody/nothing' }, 404, 'model_not_found'],
    ['a mistake', { temperature: 9 }, 400, 'invalid_request_error'],
  ])('%s is an error with its status and code, not retried', async (_, fields, status, code) => {
    expect(await rejectionOf(chatOf(host, { ...fields, maxRetries: 2 }).invoke('Hi'))).toMatchObject({ status, code })
    expect(host.recorder.calls).toHaveLength(1)
  })

  test('an empty balance is an error that is not retried', async () => {
    const account = await host.newAccount(0n)
    const error = await rejectionOf(chatOf(host, { apiKey: account.key, maxRetries: 3 }).invoke('Hi'))
    expect(error.message).toContain('balance')
    expect(host.recorder.calls).toHaveLength(1)
  })

  test('a vendor’s 500 is retried', async () => {
    const error = await rejectionOf(chatOf(host, { model: 'sandbox/error-500', maxRetries: 1 }).invoke('Hi'))
    expect(error).toMatchObject({ status: 500, code: 'server_error' })
    expect(host.recorder.calls).toHaveLength(2)
  })

  test('a stream that the vendor cuts is an error', async () => {
    const reading = async () => await readAll(await chatOf(host, { model: 'sandbox/error-disconnect' }).stream('Hi'))
    expect(await rejectionOf(reading())).toMatchObject({ code: 'server_error' })
    expectBrokenStream(host.recorder.last)
  })

  test('leaving a stream stops the vendor, and what came is charged', async () => {
    const account = await host.newAccount()
    const before = host.vendor.calls.length
    host.vendor.answer((call) => beginStream(call, ['one', ' two']))
    const controller = new AbortController()
    const chat = chatOf(host, { model: host.fakeModel, apiKey: account.key })
    const reading = async () => {
      for await (const chunk of await chat.stream('Hi', { signal: controller.signal })) {
        if (chunk.text === ' two') controller.abort()
      }
    }
    expect((await rejectionOf(reading())).name).toMatch(/abort/i)
    await host.vendor.calls[before]?.disconnected
    expect(await account.waitForRecords(1)).toMatchObject([{ outcome: 'client_gone', output_units: 2n, estimated: true }])
  })
}

/** LangChain's ChatOpenAI. */
export function langChain(host: Host): void {
  describe('answers', () => answerCases(host))
  describe('tools', () => toolCases(host))
  describe('errors and aborts', () => errorCases(host))
}
