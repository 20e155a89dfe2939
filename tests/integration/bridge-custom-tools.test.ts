import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ApiWorld } from '../fakes/api-world.ts'
import { createChatClient, type Json, KINDS, type Kind, openBridgedWorld } from '../fakes/bridged-chats.ts'
import { claudeAnswer, claudeText, geminiAnswer, respondClaude, respondGemini } from '../fakes/bridged-vendors.ts'
import { eventsOf } from '../support/raw-client.ts'

const PATCH = '*** Begin Patch\n+ say "hé"\n*** End Patch'
const TOOL = { type: 'custom', custom: { name: 'apply_patch', description: 'Changes files.' } } as const

/** Makes a vendor answer with a text and a call of the tool. */
const respond = {
  anthropic: () =>
    respondClaude(
      claudeAnswer(
        [claudeText('I change it.'), { type: 'tool_use', id: 'toolu_1', name: 'apply_patch', input: { input: PATCH } }],
        {},
        'tool_use',
      ),
    ),
  google: () =>
    respondGemini(geminiAnswer([{ text: 'I change it.' }, { functionCall: { name: 'apply_patch', args: { input: PATCH } } }])),
}

let world: ApiWorld
const { lastCall, sendChat } = createChatClient(() => world)

beforeAll(async () => {
  world = await openBridgedWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** The call of a chat, as a client puts it together. */
function calledIn(chunks: readonly Json[]): Json {
  const deltas = chunks.flatMap(({ choices }) => choices).flatMap(({ delta }) => delta.tool_calls ?? [])
  const [{ index: _, ...first }] = deltas
  return { ...first, custom: { ...first.custom, input: deltas.map(({ custom }: Json) => custom.input).join('') } }
}

/** Whatever the vendor was asked, as text. */
const askedText = (): string => JSON.stringify(lastCall().body)

describe.each(KINDS)('a custom tool at %s', (kind: Kind) => {
  test.each([false, true])('is called in a chat with its text, which goes back as it was, stream: %s', async (stream) => {
    world.vendor.answer(respond[kind]())
    const messages: Json[] = [{ role: 'user', content: 'x' }]
    const { answer, holder } = await sendChat(kind, stream, { tools: [TOOL], messages })
    expect(answer.status, answer.text).toBe(200)
    const chunks: Json[] = stream
      ? eventsOf(answer.body)
          .slice(0, -1)
          .map((data) => JSON.parse(data))
      : []
    const call = stream ? calledIn(chunks) : (answer.json() as Json).choices[0].message.tool_calls[0]
    expect(call).toMatchObject({ type: 'custom', custom: { name: 'apply_patch', input: PATCH } })
    expect(call.id).toMatch(/./)
    const reasons = stream ? chunks.flatMap(({ choices }) => choices) : (answer.json() as Json).choices
    expect(reasons.at(-1).finish_reason).toBe('tool_calls')

    const next = [...messages, { role: 'assistant', content: null, tool_calls: [call] }]
    const result = { role: 'tool', tool_call_id: call.id, content: 'Done.' }
    const again = await sendChat(kind, stream, { tools: [TOOL], messages: [...next, result] }, holder)
    expect(again.answer.status, again.answer.text).toBe(200)
    expect(askedText()).toContain(JSON.stringify({ input: PATCH }))
    expect(askedText()).toContain('Done.')
    await world.expectSettledBooks(holder, 2)
  })

  test('is called in a response, whose item goes back as it was', async () => {
    world.vendor.answer(respond[kind]())
    const who = await world.holder()
    const client = new OpenAI({ apiKey: who.secret, baseURL: `${world.url}/v1`, maxRetries: 0 })
    const asked = { model: `fake/${kind}`, tools: [{ type: 'custom' as const, name: 'apply_patch' }] }
    const stream = await client.responses.create({ ...asked, input: 'x', stream: true })
    const pieces: string[] = []
    let done: OpenAI.Responses.Response | undefined
    for await (const event of stream) {
      if (event.type === 'response.custom_tool_call_input.delta') pieces.push(event.delta)
      if (event.type === 'response.completed') done = event.response
    }
    expect(pieces.join('')).toBe(PATCH)
    const call = done?.output.find(({ type }) => type === 'custom_tool_call')
    expect(call).toMatchObject({ name: 'apply_patch', input: PATCH })
    const { call_id } = call as OpenAI.Responses.ResponseCustomToolCall
    const output = { type: 'custom_tool_call_output' as const, call_id, output: 'Done.' }
    await client.responses.create({ ...asked, previous_response_id: done?.id ?? '', input: [output] })
    expect(askedText()).toContain(JSON.stringify({ input: PATCH }))
    expect(askedText()).toContain('Done.')
  })
})
