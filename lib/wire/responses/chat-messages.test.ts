import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { describe, expect, it } from 'vitest'
import type { LanguageCapabilities } from '../../domain/language.ts'
import type { ResponseStore, StoredResponse } from '../../domain/stored-response.ts'
import { toLanguageAsk } from '../chat/language.ts'
import type { JsonObject } from '../json.ts'
import { CLAUDE, emptyResponseStore, finishPortsOf, GEMINI, preparedResponse } from '../testing.ts'
import { nonStreamingFromChat, ResponsesChatTap } from './chat-tap.ts'
import { nonStreamingFromParts, ResponsesPartsTap } from './parts.ts'

const head = { modelId: 'our/model', requestId: `req_${'0'.repeat(26)}`, at: new Date(5000), type: '' }

const messagesOf = async (body: object) => (await preparedResponse(body)).chat.body.messages as JsonObject[]
const user = (content: string) => ({ role: 'user', content })
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'f', arguments: '{}' })
const output = (id: string) => ({ type: 'function_call_output', call_id: id, output: 'done' })

describe('items as chat messages', () => {
  it('has instructions first, and system for developer', async () => {
    const input = [{ role: 'developer', content: [{ type: 'input_text', text: 'b' }] }, user('c')]
    expect(await messagesOf({ instructions: 'a', input })).toEqual([
      { role: 'system', content: 'a' },
      { role: 'system', content: 'b' },
      user('c'),
    ])
  })

  it('puts what an assistant said and called in one go into one message', async () => {
    const said = { role: 'assistant', content: [{ type: 'output_text', text: 'Let me see.' }] }
    const input = [user('x'), said, call('1'), call('2'), output('1'), output('2'), call('3'), output('3')]
    const [, first, one, two, second, three] = await messagesOf({ input })
    expect(first).toMatchObject({ role: 'assistant', content: 'Let me see.', tool_calls: [{ id: '1' }, { id: '2' }] })
    expect([one, two]).toMatchObject([
      { role: 'tool', tool_call_id: '1' },
      { role: 'tool', tool_call_id: '2', content: 'done' },
    ])
    expect(second).toMatchObject({ content: null, tool_calls: [{ id: '3', type: 'function', function: { name: 'f' } }] })
    expect(three).toMatchObject({ tool_call_id: '3' })
  })

  it('leaves messages that follow each other apart', async () => {
    const said = (text: string) => ({ role: 'assistant', content: text })
    expect(await messagesOf({ input: [said('a'), said('b'), user('c')] })).toMatchObject([said('a'), said('b'), user('c')])
  })

  const image = { type: 'input_image', image_url: 'https://example.com/a.png', detail: 'high' }
  const file = { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' }
  const imagePart = { type: 'image_url', image_url: { url: image.image_url, detail: 'high' } }
  const filePart = { type: 'file', file: { file_data: file.file_data, filename: 'a.pdf' } }

  it('carries images and files, and sizes those in outputs of tools too', async () => {
    const input = [{ role: 'user', content: [image, file] }, call('1'), { ...output('1'), output: [image] }]
    const prepared = await preparedResponse({ input })
    expect(prepared.preparedChat.media).toMatchObject({ images: 2, unbounded: 1 })
    expect((prepared.chat.body.messages[0] as JsonObject).content).toEqual([imagePart, filePart])
  })

  it('shows what tools return besides text after all outputs of the turn', async () => {
    const text = (words: string) => ({ type: 'input_text', text: words })
    const outputs = [{ ...output('1'), output: [text('a'), image, text('b')] }, { ...output('2'), output: [file] }, output('3')]
    const input = [user('x'), call('1'), call('2'), call('3'), ...outputs, { role: 'assistant', content: 'I see.' }]
    const told = (id: string) => `[What ${id} returned besides text follows in a message of the user.]`
    const shown = (id: string, part: object) => ({
      role: 'user',
      content: [{ type: 'text', text: `[What ${id} returned besides text:]` }, part],
    })
    expect((await messagesOf({ input })).slice(2)).toEqual([
      { role: 'tool', tool_call_id: '1', content: `ab\n${told('1')}` },
      { role: 'tool', tool_call_id: '2', content: told('2') },
      { role: 'tool', tool_call_id: '3', content: 'done' },
      shown('1', imagePart),
      shown('2', filePart),
      { role: 'assistant', content: 'I see.' },
    ])
  })

  it('carries the rest of the request', async () => {
    const grammar = { syntax: 'lark', definition: 'start: "x"' }
    const tools = [
      { type: 'function', name: 'f', parameters: { type: 'object' }, strict: true },
      { type: 'custom', name: 'c', format: { type: 'grammar', ...grammar } },
    ]
    const tool_choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'f' }] }
    const format = { type: 'json_schema', name: 's', schema: { type: 'object' }, strict: true }
    const body = { tools, tool_choice, text: { format, verbosity: 'low' }, reasoning: { effort: 'low' }, max_output_tokens: 50 }
    expect((await preparedResponse({ ...body, top_logprobs: 2 })).chat.body).toMatchObject({
      tools: [
        { type: 'function', function: { name: 'f', parameters: { type: 'object' }, strict: true } },
        { type: 'custom', custom: { name: 'c', format: { type: 'grammar', grammar } } },
      ],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'f' } }] },
      },
      response_format: { type: 'json_schema', json_schema: { name: 's', schema: { type: 'object' }, strict: true } },
      verbosity: 'low',
      reasoning_effort: 'low',
      max_completion_tokens: 50,
      logprobs: true,
      top_logprobs: 2,
    })
  })
})

type Part = LanguageModelV4StreamPart
const meta = (vendor: string, fields: Record<string, string>) => ({ providerMetadata: { [vendor]: fields } })
const finish = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'end' },
  usage: { inputTokens: { total: 10 }, outputTokens: { total: 5 } },
} as Part

/** Claude thinks, speaks, thinks hidden, and calls twice. */
const CLAUDE_PARTS = [
  { type: 'reasoning-start', id: '0' },
  { type: 'reasoning-delta', id: '0', delta: 'First ' },
  { type: 'reasoning-delta', id: '0', delta: 'thought.' },
  { type: 'reasoning-delta', id: '0', delta: '', ...meta('anthropic', { signature: 'sig-1' }) },
  { type: 'reasoning-end', id: '0' },
  { type: 'text-delta', id: '1', delta: 'I will look.' },
  { type: 'reasoning-start', id: '2', ...meta('anthropic', { redactedData: 'hidden-2' }) },
  { type: 'reasoning-end', id: '2' },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: '{"a":1}' },
  { type: 'tool-call', toolCallId: 'c2', toolName: 'f', input: '{"a":2}' },
  finish,
] as Part[]

/** Gemini signs a call, and the text before it. */
const GEMINI_PARTS = [
  { type: 'reasoning-start', id: '0' },
  { type: 'reasoning-delta', id: '0', delta: 'A thought.' },
  { type: 'reasoning-end', id: '0' },
  { type: 'text-delta', id: '1', delta: 'Well, ' },
  { type: 'text-delta', id: '1', delta: 'look.', ...meta('google', { thoughtSignature: 'text-sig' }) },
  { type: 'tool-call', toolCallId: 'c1', toolName: 'f', input: '{}', ...meta('google', { thoughtSignature: 'call-sig' }) },
  finish,
] as Part[]

async function answerItems(parts: readonly Part[], skills: LanguageCapabilities): Promise<JsonObject[]> {
  const prepared = await preparedResponse({})
  const labelled = parts.map((part) => ({ choice: 0, part }))
  const whole = nonStreamingFromParts(labelled, prepared, { ...head, skills }).toAnswerJson() as { output: JsonObject[] }
  const tap = new ResponsesPartsTap(prepared, { ...head, skills })
  for (const item of labelled) tap.push(item)
  await tap.finish(finishPortsOf())
  expect((tap.toAnswerJson() as { output: JsonObject[] }).output).toEqual(whole.output)
  return whole.output
}

async function sendBack(items: readonly JsonObject[], skills: LanguageCapabilities) {
  const calls = items.filter((item) => item.type === 'function_call')
  const outputs = calls.map(({ call_id }) => ({ type: 'function_call_output', call_id, output: 'done' }))
  const { chat } = await preparedResponse({ input: [user('Hello.'), ...items, ...outputs] })
  const { prompt } = toLanguageAsk(chat.body, skills).options
  return prompt.find(({ role }) => role === 'assistant')?.content
}

describe('a vendor that signs what it thinks', () => {
  it('sees its thoughts again where they stood, byte for byte: Claude', async () => {
    const items = await answerItems(CLAUDE_PARTS, CLAUDE)
    expect(items.map(({ type }) => type)).toEqual(['reasoning', 'message', 'reasoning', 'function_call', 'function_call'])
    expect(items[0]?.summary).toEqual([{ type: 'summary_text', text: 'First thought.' }])
    expect(await sendBack(items, CLAUDE)).toMatchObject([
      { type: 'reasoning', text: 'First thought.', providerOptions: { anthropic: { signature: 'sig-1' } } },
      { type: 'text', text: 'I will look.' },
      { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'hidden-2' } } },
      { type: 'tool-call', toolCallId: 'c1', input: { a: 1 } },
      { type: 'tool-call', toolCallId: 'c2', input: { a: 2 } },
    ])
  })

  it('sees its signatures again on what they sign: Gemini', async () => {
    const items = await answerItems(GEMINI_PARTS, GEMINI)
    const content = await sendBack(items, GEMINI)
    const text = (content as { type: string; text: string }[]).filter((part) => part.type === 'text')
    expect(text.map((part) => part.text).join('')).toBe('Well, look.')
    expect(content).toContainEqual({ type: 'text', text: 'look.', providerOptions: { google: { thoughtSignature: 'text-sig' } } })
    expect(content).toContainEqual(
      expect.objectContaining({ toolCallId: 'c1', providerOptions: { google: { thoughtSignature: 'call-sig' } } }),
    )
  })

  it('sees nothing that another one signed', async () => {
    const content = await sendBack(await answerItems(CLAUDE_PARTS, CLAUDE), GEMINI)
    expect(JSON.stringify(content)).not.toMatch(/sig-1|hidden-2|thought/)
  })

  it('sees nothing where what came back is damaged', async () => {
    const items = (await answerItems(CLAUDE_PARTS, CLAUDE)).map((item) =>
      item.type === 'reasoning' ? { ...item, encrypted_content: `${String(item.encrypted_content).slice(0, -9)}!` } : item,
    )
    expect(JSON.stringify(await sendBack(items, CLAUDE))).not.toContain('sig-1')
  })
})

describe('a vendor of chats that thinks aloud', () => {
  const message = {
    role: 'assistant',
    reasoning_content: 'Hm.',
    content: null,
    tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }],
  }
  const whole = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }

  it('sees its thoughts again while it works on the same question, and not later', async () => {
    const answer = nonStreamingFromChat(Buffer.from(JSON.stringify(whole)), await preparedResponse({}), head)
    const { output: items } = answer.toAnswerJson() as { output: JsonObject[] }
    const round = [user('x'), ...items, output('c1')]
    expect((await messagesOf({ input: round }))[1]).toMatchObject({ reasoning_content: 'Hm.', tool_calls: [{ id: 'c1' }] })
    expect((await messagesOf({ input: [...round, user('y')] }))[1]).not.toHaveProperty('reasoning_content')
  })

  it('streams details in pieces, which are one again', async () => {
    const detail = (more: object) => ({ type: 'reasoning.text', index: 0, format: 'anthropic-claude-v1', ...more })
    const deltas = [
      { reasoning: 'Fi', reasoning_details: [detail({ text: 'Fi' })] },
      { reasoning: 'rst', reasoning_details: [detail({ text: 'rst' })] },
      { reasoning_details: [detail({ signature: 'sig' })] },
      { content: 'So.' },
    ]
    const tap = new ResponsesChatTap(await preparedResponse({}), head)
    const chunks = [...deltas.map((delta) => ({ choices: [{ delta }] })), { choices: [{ delta: {}, finish_reason: 'stop' }] }]
    for (const chunk of chunks) tap.push(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`))
    expect(tap.end().complete).toBe(true)
    const { output: items } = tap.toAnswerJson() as { output: JsonObject[] }
    expect(items.map(({ type }) => type)).toEqual(['reasoning', 'message'])
    const [, back] = await messagesOf({ input: [user('x'), ...items, user('y')] })
    expect(back).toEqual({
      role: 'assistant',
      content: 'So.',
      reasoning_details: [detail({ text: 'First', signature: 'sig' })],
    })
  })
})

describe('a conversation', () => {
  const id = `resp_${'0'.repeat(26)}`
  const stored = (output: unknown): StoredResponse => ({
    id,
    accountId: 'acc_1',
    previousId: null,
    at: new Date(0),
    response: { output },
    input: [user('x')],
  })
  const shelfOf = (output: unknown): ResponseStore => ({
    ...emptyResponseStore,
    findChain: async () => ({ responses: [stored(output)], bytes: 100 }),
    find: async () => ({ ...stored(output), paid: null }),
  })
  const said = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi.', annotations: [] }] }

  it('goes on from what was stored, without what is no item', async () => {
    const output = [null, 5, { type: 'message', role: 'assistant' }, { type: 'reasoning', summary: 5 }, said]
    const prepared = await preparedResponse({ previous_response_id: id, input: 'y' }, { shelf: shelfOf(output) })
    expect(prepared.chat.body.messages).toEqual([user('x'), { role: 'assistant', content: 'Hi.' }, user('y')])
    expect(prepared.preparedChat.inputBound).toBeGreaterThan(200)
    expect((await preparedResponse({ previous_response_id: id, input: null }, { shelf: shelfOf(null) })).context.items).toEqual([
      user('x'),
    ])
  })

  it('refers to items by their place alone', async () => {
    const ask = (itemId: string) =>
      preparedResponse({ input: [{ type: 'item_reference', id: itemId }] }, { shelf: shelfOf([said, null]) })
    expect((await ask(`msg_${id.slice(5)}_0`)).context.items).toEqual([said])
    expect((await ask(`msg_${id.slice(5)}_i0`)).context.items).toEqual([user('x')])
    for (const missing of ['1', '2', 'i1', 'x']) await expect(ask(`msg_${id.slice(5)}_${missing}`)).rejects.toThrow(/not stored/)
  })
})

describe('what cannot be', () => {
  const cases: [string, object, string, RegExp][] = [
    ['an output without its call', { input: [output('1')] }, 'input[0].call_id', /no call "1"/],
    ['a call without its output', { input: [call('1'), user('x')] }, 'input[0]', /has no output/],
    ['a reference to nothing', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input[0].id', /Send the item itself/],
    ['a previous response that is no id', { previous_response_id: "x'" }, 'previous_response_id', /whole conversation/],
    ['more output than the model has', { max_output_tokens: 50_000 }, 'max_output_tokens', /at most 16384/],
  ]
  it.each(cases)('%s', async (_name, body, param, message) => {
    await expect(preparedResponse(body)).rejects.toMatchObject({ param, message: expect.stringMatching(message) })
  })

  it('a file at an address in the output of a tool, in a chat', async () => {
    const { forms } = (await import('../responses.ts')).createResponse
    const file = { type: 'input_file', file_url: 'https://example.com/a.pdf' }
    const input = [call('1'), { ...output('1'), output: [{ type: 'input_text', text: 'a' }, file] }]
    const prepared = await preparedResponse({ input })
    expect(() => forms[1]?.check?.(prepared)).toThrow(/file_data/)
    expect(forms[0]?.check).toBeUndefined()
  })

  it('a field that a bridged vendor has not, in the words of this endpoint', async () => {
    const { language } = (await import('../responses.ts')).createResponse
    const ask = async (body: object) => language?.ask(await preparedResponse(body), CLAUDE)
    await expect(ask({ top_logprobs: 1 })).rejects.toMatchObject({ param: 'top_logprobs' })
    await expect(ask({ include: ['message.output_text.logprobs'] })).rejects.toMatchObject({ param: 'include' })
    await expect(ask({ reasoning: { effort: 'wild' } })).rejects.toMatchObject({ param: 'reasoning.effort' })
    const file = { role: 'user', content: [{ type: 'input_file', file_url: 'https://example.com/a.pdf' }] }
    await expect(ask({ input: [user('x'), file] })).rejects.toMatchObject({ param: 'input[1].content[0].file_url' })
    const bad = { role: 'user', content: [{ type: 'input_file', file_data: 'AA==' }] }
    await expect(ask({ instructions: 'a', input: [user('x'), bad] })).rejects.toMatchObject({ param: 'input[1].content[0]' })
    const returned = { ...output('1'), output: bad.content }
    await expect(ask({ input: [user('x'), call('1'), returned] })).rejects.toMatchObject({ param: 'input[2].output' })
  })
})
