import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, generateObject, generateText, isStepCount, streamText, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { expectRejection, readAll } from './expectations.ts'
import { Trip } from './openai-chat.ts'
import type { Host } from './world.ts'

const MODEL = 'sandbox/chat'

/** OpenAI's own provider, which calls POST /v1/responses. By default it refers to stored items instead of sending them. */
const modelOf = (host: Host, id = MODEL) =>
  createOpenAI({ baseURL: host.baseURL, apiKey: host.key, fetch: host.recorder.fetch }).responses(id)

/** The AI SDK's provider for OpenAI. */
export function aiSdkResponses(host: Host): void {
  const weather = tool({
    description: 'The weather of a city.',
    inputSchema: z.object({ city: z.string() }),
    execute: async () => 'minus four degrees',
  })
  const ask = { tools: { get_weather: weather }, stopWhen: isStepCount(3), prompt: 'Use get_weather for Oslo' }

  describe('responses', () => {
    test('generateText and streamText answer the same text', async () => {
      const generated = await generateText({ model: modelOf(host), prompt: 'Hello there' })
      const streamed = streamText({ model: modelOf(host), prompt: 'Hello there' })
      expect((await readAll(streamed.textStream)).join('')).toBe(generated.text)
      expect(await streamed.finishReason).toBe('stop')
      expect((await streamed.usage).totalTokens).toBe(generated.usage.totalTokens)
      expect(host.recorder.last.path).toBe('/v1/responses')
    })

    test.each([true, false])('tools run in steps, whole and streamed (store: %s)', async (store) => {
      const options = { ...ask, providerOptions: { openai: { store } } }
      const generated = await generateText({ model: modelOf(host), ...options })
      expect(generated.text).toContain('The tool get_weather answered: "minus four degrees".')
      const streamed = streamText({ model: modelOf(host), ...options })
      expect((await readAll(streamed.textStream)).join('')).toContain('The tool get_weather answered: "minus four degrees".')
      expect(await streamed.steps).toHaveLength(2)
    })

    test('generateObject answers an object of the zod schema', async () => {
      const { object } = await generateObject({ model: modelOf(host), schema: Trip, prompt: 'Plan a trip to Oslo' })
      expect(Trip.parse(object)).toEqual(object)
    })

    test('a conversation goes on from a stored response', async () => {
      const first = await generateText({ model: modelOf(host), prompt: 'Hello there' })
      const previousResponseId = first.providerMetadata?.openai?.responseId as string
      const providerOptions = { openai: { previousResponseId } }
      const second = await generateText({ model: modelOf(host), prompt: 'And now?', providerOptions })
      expect(second.text).toContain('And now?')
      expect(second.usage.inputTokens).toBeGreaterThan(first.usage.totalTokens ?? 0)
    })

    test.each([true, false])('what was said goes back with the next question (store: %s)', async (store) => {
      const providerOptions = { openai: { store } }
      const first = await generateText({ model: modelOf(host), prompt: 'Hello there', providerOptions })
      const messages = [
        { role: 'user' as const, content: 'Hello there' },
        ...first.response.messages,
        { role: 'user' as const, content: 'And now?' },
      ]
      const second = await generateText({ model: modelOf(host), messages, providerOptions })
      expect(second.text).toContain('And now?')
      const sent = host.recorder.last.body.input as { type?: string }[]
      expect(sent.some(({ type }) => type === 'item_reference')).toBe(store)
      expect(second.usage.inputTokens).toBeGreaterThan(first.usage.totalTokens ?? 0)
    })

    test('an error has its status, and a broken stream does not end well', async () => {
      const failing = generateText({ model: modelOf(host, 'nobody/nothing'), prompt: 'Hi', maxRetries: 0 })
      expect(await expectRejection(APICallError, failing)).toMatchObject({ statusCode: 404, isRetryable: false })
      const errors: unknown[] = []
      const model = modelOf(host, 'sandbox/error-disconnect')
      const broken = streamText({ model, prompt: 'Hi', maxRetries: 0, onError: ({ error }) => void errors.push(error) })
      await readAll(broken.fullStream)
      expect(errors.length).toBeGreaterThan(0)
      expect(await broken.finishReason).toBe('error')
    })
  })
}
