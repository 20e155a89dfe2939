import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { APICallError, generateObject, generateText, isStepCount, Output, RetryError, streamText, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { beginStream, dictate, expectBrokenStream, expectNotCharged, expectRejection, PNG, readAll } from './expectations.ts'
import { Trip } from './openai-chat.ts'
import type { Host } from './world.ts'

const MODEL = 'sandbox/chat'
// Otherwise it prints that generateObject is going to be replaced.
Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** The provider as an application sets it up: with a base URL and a key. */
const modelOf = (host: Host, id = MODEL, apiKey = host.key) =>
  createOpenAICompatible({
    name: 'tollgate',
    baseURL: host.baseURL,
    apiKey,
    fetch: host.recorder.fetch,
    includeUsage: true,
    supportsStructuredOutputs: true,
  })(id)

function textCases(host: Host): void {
  test('generateText answers with text, usage and a finish reason', async () => {
    const account = await host.newAccount()
    const answer = await generateText({ model: modelOf(host, MODEL, account.key), prompt: 'Hello there', maxRetries: 0 })
    expect(answer.text).toContain('You said: "Hello there".')
    expect(answer.finishReason).toBe('stop')
    expect(answer.usage.totalTokens).toBe((answer.usage.inputTokens ?? 0) + (answer.usage.outputTokens ?? 0))
    expect(answer.response.modelId).toBe(MODEL)
    expect(answer.response.headers?.['x-request-id']).toMatch(/^req_/)
    expect(await account.spent()).toBeGreaterThan(0n)
  })

  test('instructions, a cap and a stop sequence have their effect', async () => {
    const ask = { model: modelOf(host), instructions: dictate('one two HALT three'), prompt: 'Count' }
    const stopped = await generateText({ ...ask, stopSequences: ['HALT'] })
    const cut = await generateText({ ...ask, maxOutputTokens: 1 })
    expect([stopped.text.trim(), stopped.finishReason]).toEqual(['one two', 'stop'])
    expect([cut.text, cut.finishReason]).toEqual(['one', 'length'])
  })

  test('streamText streams the same text, with usage at the end', async () => {
    const result = streamText({ model: modelOf(host), prompt: 'Hello there' })
    const pieces = await readAll(result.textStream)
    const generated = await generateText({ model: modelOf(host), prompt: 'Hello there' })
    expect(pieces.length).toBeGreaterThan(3)
    expect(pieces.join('')).toBe(generated.text)
    expect(await result.finishReason).toBe('stop')
    expect(await result.usage).toMatchObject({
      inputTokens: generated.usage.inputTokens,
      outputTokens: generated.usage.outputTokens,
      totalTokens: generated.usage.totalTokens,
    })
  })

  test('an image is sent and received', async () => {
    const { text } = await generateText({
      model: modelOf(host),
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is this?' },
            { type: 'file', mediaType: 'image/png', data: { type: 'data', data: PNG } },
          ],
        },
      ],
    })
    expect(text).toMatch(/I received 1 image \(image\/png, \d+ bytes\)/)
  })
}

function objectCases(host: Host): void {
  test('generateObject answers an object of the zod schema', async () => {
    const { object } = await generateObject({ model: modelOf(host), schema: Trip, prompt: 'Plan a trip to Oslo' })
    expect(Trip.parse(object)).toEqual(object)
    expect(host.recorder.last.body.response_format).toMatchObject({ type: 'json_schema' })
  })

  test('generateText with an output answers an object too', async () => {
    const { output } = await generateText({
      model: modelOf(host),
      output: Output.object({ schema: Trip }),
      prompt: 'Plan a trip to Oslo',
    })
    expect(Trip.parse(output)).toEqual(output)
  })

  test('streamText with an output fills the object piece by piece', async () => {
    const result = streamText({ model: modelOf(host), output: Output.object({ schema: Trip }), prompt: 'Plan a trip' })
    const partial = await readAll(result.partialOutputStream)
    const output = await result.output
    expect(Trip.parse(output)).toEqual(output)
    expect(partial.length).toBeGreaterThan(2)
    expect(partial.at(-1)).toEqual(output)
  })
}

function toolCases(host: Host): void {
  const createWeatherTool = (requestedCities: string[]) =>
    tool({
      description: 'The weather of a city.',
      inputSchema: z.object({ city: z.string() }),
      execute: async ({ city }) => {
        requestedCities.push(city)
        return 'minus four degrees'
      },
    })

  test('generateText runs tools in steps', async () => {
    const requestedCities: string[] = []
    const answer = await generateText({
      model: modelOf(host),
      tools: { get_weather: createWeatherTool(requestedCities) },
      stopWhen: isStepCount(3),
      prompt: 'Use get_weather for Oslo',
    })
    expect(requestedCities).toHaveLength(1)
    expect(answer.steps.map((step) => step.finishReason)).toEqual(['tool-calls', 'stop'])
    expect(answer.text).toContain('The tool get_weather answered: "minus four degrees".')
    expect(host.recorder.calls).toHaveLength(2)
  })

  test('streamText runs tools in steps', async () => {
    const requestedCities: string[] = []
    const result = streamText({
      model: modelOf(host),
      tools: { get_weather: createWeatherTool(requestedCities) },
      stopWhen: isStepCount(3),
      prompt: 'Use get_weather for Oslo',
    })
    const text = (await readAll(result.textStream)).join('')
    expect(text).toContain('The tool get_weather answered: "minus four degrees".')
    expect(requestedCities).toHaveLength(1)
    expect(await result.steps).toHaveLength(2)
  })

  test('two tools run in one step', async () => {
    const requestedCities: string[] = []
    const answer = await generateText({
      model: modelOf(host),
      tools: { get_weather: createWeatherTool(requestedCities), get_time: createWeatherTool(requestedCities) },
      prompt: 'Use get_weather and get_time for Oslo',
    })
    expect(answer.toolCalls.map((call) => call.toolName)).toEqual(['get_weather', 'get_time'])
    expect(answer.toolResults.map((result) => result.output)).toEqual(['minus four degrees', 'minus four degrees'])
  })
}

function errorCases(host: Host): void {
  test.each([
    ['a wrong key', 401, 'sandbox/chat', 'sk-tg-wrong'],
    ['an unknown model', 404, 'nobody/nothing', undefined],
  ])('%s is an APICallError of status %i, not retried', async (_, statusCode, model, key) => {
    const error = await expectRejection(
      APICallError,
      generateText({ model: modelOf(host, model, key), prompt: 'Hi', maxRetries: 2 }),
    )
    expect(error).toMatchObject({ statusCode, isRetryable: false, data: { error: { type: 'invalid_request_error' } } })
    expect(error.message.length).toBeGreaterThan(20)
    expect(host.recorder.calls).toHaveLength(1)
  })

  test('a mistake is an APICallError that names the field', async () => {
    const error = await expectRejection(APICallError, generateText({ model: modelOf(host), prompt: 'Hi', temperature: 9 }))
    expect(error).toMatchObject({ statusCode: 400, isRetryable: false, data: { error: { param: 'temperature' } } })
    expect(host.recorder.calls).toHaveLength(1)
  })

  test('an empty balance is an APICallError with its code', async () => {
    const account = await host.newAccount(0n)
    const pending = generateText({ model: modelOf(host, MODEL, account.key), prompt: 'Hi', maxRetries: 0 })
    const error = await expectRejection(APICallError, pending)
    expect(error).toMatchObject({ statusCode: 429, data: { error: { code: 'insufficient_quota' } } })
    await expectNotCharged(account, 429, 'refused')
  })

  test('a vendor’s 429 is retried after the time that it names', async () => {
    const error = await expectRejection(
      RetryError,
      generateText({ model: modelOf(host, 'sandbox/error-429'), prompt: 'Hi', maxRetries: 1 }),
    )
    expect(error.lastError).toMatchObject({ statusCode: 429, isRetryable: true })
    const [first, second] = host.recorder.calls
    expect(host.recorder.calls).toHaveLength(2)
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(1900)
  })

  test.each([
    ['sandbox/error-500', 500],
    ['sandbox/error-503', 503],
    ['sandbox/error-malformed', 500],
  ])('%s is an APICallError of status %i that may be retried', async (model, statusCode) => {
    const error = await expectRejection(APICallError, generateText({ model: modelOf(host, model), prompt: 'Hi', maxRetries: 0 }))
    expect(error).toMatchObject({ statusCode, isRetryable: true, data: { error: { type: 'server_error' } } })
  })

  test('a stream that the vendor cuts ends in an error, not in success', async () => {
    const errors: unknown[] = []
    const result = streamText({
      model: modelOf(host, 'sandbox/error-disconnect'),
      prompt: 'Hi',
      maxRetries: 0,
      onError: ({ error }) => void errors.push(error),
    })
    const parts = await readAll(result.fullStream)
    expect(errors).toHaveLength(1)
    expect(parts.filter((part) => part.type === 'error')).toHaveLength(1)
    expect(await result.finishReason).toBe('error')
    expectBrokenStream(host.recorder.last)
  })

  test('leaving a stream stops the vendor, and what came is charged', async () => {
    const account = await host.newAccount()
    const before = host.vendor.calls.length
    host.vendor.answer((call) => beginStream(call, ['one', ' two']))
    const controller = new AbortController()
    const model = modelOf(host, host.fakeModel, account.key)
    const result = streamText({ model, prompt: 'Hi', abortSignal: controller.signal })
    const parts: string[] = []
    for await (const part of result.fullStream) {
      parts.push(part.type)
      if (part.type === 'text-delta' && part.text === ' two') controller.abort()
    }
    expect(parts.at(-1)).toBe('abort')
    await host.vendor.calls[before]?.disconnected
    expect(await account.waitForRecords(1)).toMatchObject([{ outcome: 'client_gone', output_units: 2n, estimated: true }])
  })
}

/** The AI SDK's openai-compatible provider. */
export function aiSdk(host: Host): void {
  describe('text', () => textCases(host))
  describe('objects', () => objectCases(host))
  describe('tools', () => toolCases(host))
  describe('errors and aborts', () => errorCases(host))
}
