import { LLMock } from '@copilotkit/aimock'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { addModel } from '../support/fixtures.ts'

let world: ApiWorld
let aimock: LLMock

const SENTENCE = 'An independent stand-in says this sentence.'
const WEATHER = { name: 'get_weather', arguments: { city: 'Oslo' } }

beforeAll(async () => {
  world = await openApiWorld()
  aimock = await LLMock.create({ port: 0, logLevel: 'silent', strict: true })
  const usage = { input_tokens: 11, output_tokens: 7, promptTokenCount: 11, candidatesTokenCount: 7 }
  aimock.onMessage(/say the sentence/, { content: SENTENCE, usage })
  aimock.onMessage(/weather/, { toolCalls: [{ ...WEATHER, arguments: JSON.stringify(WEATHER.arguments) }] })
  for (const [kind, version] of [
    ['anthropic', 'v1'],
    ['google', 'v1beta'],
  ] as const) {
    const upstreamModel = kind === 'anthropic' ? 'claude-sonnet-4-5' : 'gemini-2.5-flash'
    await addModel(world.pool, { id: `aimock/${kind}`, kind, upstreamModel, baseUrl: `${aimock.url}/${version}`, secret: 'x' })
  }
  await untilModelKnown(world, 'aimock/google')
})
afterAll(async () => {
  await aimock?.stop()
  await world?.[Symbol.asyncDispose]()
})

// An independent implementation of both wires: it must accept what we send, and we must understand what it answers.
describe.each(['anthropic', 'google'])('aimock as %s', (kind) => {
  const ask = (content: string) => ({ model: `aimock/${kind}`, messages: [{ role: 'user' as const, content }] })
  const client = async () => {
    const { secret } = await world.holder()
    return new OpenAI({ baseURL: `${world.url}/v1`, apiKey: secret, maxRetries: 0 })
  }

  test('says its sentence, whole and streamed', async () => {
    const openai = await client()
    const completion = await openai.chat.completions.create(ask('Please say the sentence'))
    expect(completion.choices[0]?.message.content).toBe(SENTENCE)
    const streamed = await openai.chat.completions
      .stream({ ...ask('Please say the sentence'), stream_options: { include_usage: true } })
      .finalChatCompletion()
    expect(streamed.choices[0]?.message.content).toBe(SENTENCE)
    for (const { usage } of [completion, streamed]) expect(usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 7 })
  })

  test('calls a tool, whole and streamed', async () => {
    const openai = await client()
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    const tools = [{ type: 'function' as const, function: { name: WEATHER.name, parameters } }]
    const body = { ...ask('What is the weather in Oslo?'), tools }
    for (const answer of [
      await openai.chat.completions.create(body),
      await openai.chat.completions.stream(body).finalChatCompletion(),
    ]) {
      expect(answer.choices[0]?.finish_reason).toBe('tool_calls')
      const [call] = answer.choices[0]?.message.tool_calls ?? []
      if (call?.type !== 'function') throw new Error('no call')
      expect([call.function.name, JSON.parse(call.function.arguments)]).toEqual([WEATHER.name, WEATHER.arguments])
    }
  })
})
