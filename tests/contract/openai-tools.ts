import { zodFunction } from 'openai/helpers/zod'
import type { ChatCompletionFunctionTool, ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Host } from './world.ts'

const MODEL = 'sandbox/chat'
const City = z.object({ city: z.string() })

const tool = (name: string): ChatCompletionFunctionTool => ({
  type: 'function',
  function: {
    name,
    description: `Calls ${name}.`,
    strict: true,
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false },
  },
})

const TOOLS = [tool('get_weather'), tool('get_time')]
const user = (content: string): ChatCompletionMessageParam => ({ role: 'user', content })
const ASK = { model: MODEL, tools: TOOLS, messages: [user('Use get_weather for Oslo')] }

function toolCallCases(host: Host): void {
  test('a call is made, answered, and its result is in the reply', async () => {
    const client = host.openai()
    const first = await client.chat.completions.create(ASK)
    const [choice] = first.choices
    const message = choice?.message
    const [call] = message?.tool_calls ?? []
    expect(choice?.finish_reason).toBe('tool_calls')
    if (!message || call?.type !== 'function') throw new Error('no function was called')
    expect(call).toMatchObject({ id: expect.stringMatching(/^call_/), function: { name: 'get_weather' } })
    expect(City.parse(JSON.parse(call.function.arguments))).toEqual({ city: expect.any(String) })
    const second = await client.chat.completions.create({
      ...ASK,
      messages: [...ASK.messages, message, { role: 'tool', tool_call_id: call.id, content: 'minus four degrees' }],
    })
    expect(second.choices[0]).toMatchObject({ finish_reason: 'stop' })
    expect(second.choices[0]?.message.content).toContain('The tool get_weather answered: "minus four degrees".')
  })

  test('a streamed call is the same call', async () => {
    const client = host.openai()
    const plain = await client.chat.completions.create(ASK)
    const runner = client.chat.completions.stream(ASK)
    const streamed = await runner.finalChatCompletion()
    expect(streamed.choices[0]?.finish_reason).toBe('tool_calls')
    const [call] = streamed.choices[0]?.message.tool_calls ?? []
    const { id, ...made } = plain.choices[0]?.message.tool_calls?.[0] ?? {}
    expect(call).toMatchObject(made)
    expect(call?.id).not.toBe(id)
    expect(streamed.choices[0]?.message.tool_calls).toHaveLength(1)
  })

  test('two calls are made side by side, whole and streamed', async () => {
    const client = host.openai()
    const ask = { ...ASK, messages: [user('Use get_weather and get_time for Oslo')] }
    const plain = await client.chat.completions.create(ask)
    const streamed = await client.chat.completions.stream(ask).finalChatCompletion()
    for (const answer of [plain, streamed]) {
      const toolCalls = answer.choices[0]?.message.tool_calls ?? []
      expect(toolCalls.map((call) => call.type === 'function' && call.function.name)).toEqual(['get_weather', 'get_time'])
      expect(new Set(toolCalls.map((call) => call.id)).size).toBe(2)
    }
  })

  test('parallel_tool_calls: false makes one call', async () => {
    const answer = await host.openai().chat.completions.create({
      ...ASK,
      messages: [user('Use get_weather and get_time for Oslo')],
      parallel_tool_calls: false,
    })
    expect(answer.choices[0]?.message.tool_calls).toHaveLength(1)
  })

  test('tool_choice decides', async () => {
    const client = host.openai()
    const named = { type: 'function', function: { name: 'get_time' } } as const
    const ask = { ...ASK, messages: [user('Hello')] }
    const none = await client.chat.completions.create({ ...ask, tool_choice: 'none' })
    const forced = await client.chat.completions.create({ ...ask, tool_choice: named })
    const required = await client.chat.completions.create({ ...ask, tool_choice: 'required' })
    expect(none.choices[0]?.message.tool_calls).toBeUndefined()
    expect(none.choices[0]?.message.content).toContain('You said: "Hello".')
    expect(forced.choices[0]?.message.tool_calls).toMatchObject([{ function: { name: 'get_time' } }])
    expect(required.choices[0]?.message.tool_calls).toHaveLength(1)
  })

  test('parse() reads the arguments of a zod function', async () => {
    const answer = await host.openai().chat.completions.parse({
      model: MODEL,
      messages: [user('Use get_weather for Oslo')],
      tools: [zodFunction({ name: 'get_weather', parameters: City })],
    })
    const [call] = answer.choices[0]?.message.tool_calls ?? []
    const read = call?.type === 'function' ? call.function.parsed_arguments : null
    expect(City.parse(read)).toEqual(read)
  })
}

function runToolsCases(host: Host): void {
  const createTool = (requestedCities: string[]) => ({
    type: 'function' as const,
    function: {
      name: 'get_weather',
      description: 'The weather of a city.',
      parameters: { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] },
      parse: (input: string) => City.parse(JSON.parse(input)),
      function: ({ city }: z.infer<typeof City>) => {
        requestedCities.push(city)
        return 'minus four degrees'
      },
    },
  })

  test('runTools calls the function and comes back with the reply', async () => {
    const requestedCities: string[] = []
    const runner = host.openai().chat.completions.runTools({
      model: MODEL,
      messages: [user('Use get_weather for Oslo')],
      tools: [createTool(requestedCities)],
    })
    expect(await runner.finalContent()).toContain('The tool get_weather answered: "minus four degrees".')
    expect(requestedCities).toHaveLength(1)
    expect(runner.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
    expect(host.recorder.calls).toHaveLength(2)
  })

  test('runTools does the same with streams', async () => {
    const requestedCities: string[] = []
    const runner = host.openai().chat.completions.runTools({
      model: MODEL,
      stream: true,
      messages: [user('Use get_weather for Oslo')],
      tools: [createTool(requestedCities)],
    })
    expect(await runner.finalContent()).toContain('The tool get_weather answered: "minus four degrees".')
    expect(requestedCities).toHaveLength(1)
    expect(host.recorder.calls.map((call) => call.body.stream)).toEqual([true, true])
  })
}

/** Tools through the official SDK. */
export function openAiTools(host: Host): void {
  describe('tools', () => toolCallCases(host))
  describe('runTools', () => runToolsCases(host))
}
