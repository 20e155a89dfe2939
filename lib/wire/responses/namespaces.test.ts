import { describe, expect, it } from 'vitest'
import { countTokens } from '../../gateway/count-tokens.ts'
import type { JsonObject } from '../json.ts'
import { createResponse } from '../responses.ts'
import { CLAUDE, preparedResponse } from '../testing.ts'
import { nonStreamingFromChat, ResponsesChatTap } from './chat-tap.ts'
import { nativeRequest } from './native.ts'

const head = { modelId: 'our/model', requestId: `req_${'0'.repeat(26)}`, at: new Date(5000), type: '' }
const parameters = { type: 'object', properties: {} }
const agents = {
  type: 'namespace',
  name: 'agents',
  description: 'Other agents.',
  tools: [
    { type: 'function', name: 'spawn', description: 'Begins one.', parameters, strict: false },
    { type: 'function', name: 'close', parameters },
  ],
}
const tools = [{ type: 'function', name: 'run', parameters }, agents]
const call = (name: string) => ({ id: 'call_1', type: 'function', function: { name, arguments: '{}' } })
const asked = { type: 'function_call', call_id: 'call_1', namespace: 'agents', name: 'spawn' }

const whole = async (name: string) => {
  const message = { role: 'assistant', content: null, tool_calls: [call(name)] }
  const chat = { choices: [{ index: 0, message, finish_reason: 'tool_calls' }] }
  const answer = nonStreamingFromChat(Buffer.from(JSON.stringify(chat)), await preparedResponse({ input: 'x', tools }), head)
  return (answer.toAnswerJson() as JsonObject).output
}

describe('tools in a namespace, in a chat', () => {
  it('are told one by one, the name of their namespace before their own', async () => {
    const { chat } = await preparedResponse({ input: 'x', tools })
    expect(chat.body.tools).toEqual([
      { type: 'function', function: { name: 'run', parameters } },
      { type: 'function', function: { name: 'agents__spawn', description: 'Begins one.', parameters, strict: false } },
      { type: 'function', function: { name: 'agents__close', parameters } },
    ])
  })

  it.each([
    [
      { type: 'function', name: 'spawn' },
      { type: 'function', function: { name: 'agents__spawn' } },
    ],
    [
      { type: 'function', name: 'run' },
      { type: 'function', function: { name: 'run' } },
    ],
    // A tool outside of namespaces takes precedence over one inside.
    [
      { type: 'function', name: 'close' },
      { type: 'function', function: { name: 'close' } },
    ],
    [
      { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'spawn' }] },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'agents__spawn' } }] },
      },
    ],
  ])('are chosen by that name: %j', async (choice, inChat) => {
    const all = [...tools, { type: 'function', name: 'close', parameters }]
    const { chat } = await preparedResponse({ input: 'x', tools: all, tool_choice: choice })
    expect(chat.body.tool_choice).toEqual(inChat)
  })

  it('are called by that name in the conversation', async () => {
    const input = [
      { ...asked, arguments: '{}' },
      { type: 'function_call_output', call_id: 'call_1', output: 'done' },
    ]
    const { chat } = await preparedResponse({ input, tools })
    expect(chat.body.messages[0]).toMatchObject({ tool_calls: [call('agents__spawn')] })
  })

  it('are called with their namespace in the answer, whole and streamed', async () => {
    expect(await whole('agents__spawn')).toMatchObject([{ ...asked, arguments: '{}' }])
    const tap = new ResponsesChatTap(await preparedResponse({ input: 'x', tools, stream: true }), head)
    const delta = { tool_calls: [{ index: 0, ...call('agents__spawn') }] }
    const chunk = { choices: [{ index: 0, delta, finish_reason: 'tool_calls' }] }
    const events = Buffer.from(tap.push(Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`))).toString()
    expect(events).toContain('"namespace":"agents","name":"spawn","arguments":""')
    expect(events).not.toContain('agents__spawn')
  })

  it('leaves other calls as they are', async () => {
    const [item] = (await whole('run')) as JsonObject[]
    expect(item).toMatchObject({ type: 'function_call', name: 'run' })
    expect(item).not.toHaveProperty('namespace')
  })

  it('are held for with their longer names', async () => {
    const many = Array.from({ length: 256 }, (_, index) => ({ type: 'function', name: `${index}` }))
    const { preparedChat, chat } = await preparedResponse({
      input: 'x',
      tools: [{ ...agents, name: 'a1.b2'.repeat(25), tools: many }],
    })
    expect(preparedChat.inputBound).toBeGreaterThanOrEqual(await countTokens(JSON.stringify(chat.body.tools)))
  })

  it.each([
    [[{ type: 'function', name: 'agents__spawn', parameters }, agents], 'tools[1].tools[0]'],
    [[agents, { type: 'custom', name: 'agents__close' }], 'tools[1]'],
    [
      [
        { ...agents, name: 'a', tools: [{ type: 'function', name: 'b__c' }] },
        { ...agents, name: 'a__b', tools: [{ type: 'function', name: 'c' }] },
      ],
      'tools[1].tools[0]',
    ],
  ])('are refused where a chat could not tell them from another: %#', async (mistaken, param) => {
    const prepared = await preparedResponse({ input: 'x', tools: mistaken })
    const refusal = expect.objectContaining({ condition: 'invalid_request', param })
    const form = createResponse.forms.find(({ wire }) => wire === 'openai.chat')
    expect(() => form?.check?.(prepared)).toThrow(refusal)
    expect(() => createResponse.language?.ask(prepared, {} as never)).toThrow(refusal)
  })

  it.each([
    ['agents__kill', 'a name that only looks like one in a namespace'],
    ['spawn', 'the own name of one in a namespace'],
    ['run', "a tool that is told twice, which is the vendor's to judge"],
  ])('stand beside %s: %s', async (name) => {
    const prepared = await preparedResponse({ input: 'x', tools: [...tools, { type: 'function', name, parameters }] })
    const form = createResponse.forms.find(({ wire }) => wire === 'openai.chat')
    expect(() => form?.check?.(prepared)).not.toThrow()
  })

  it('are named in refusals by where they stand', async () => {
    const edits = { type: 'namespace', name: 'edits', tools: [{ type: 'custom', name: 'patch' }] }
    const format = { type: 'json_schema', name: 'f', schema: {} }
    const prepared = await preparedResponse({ input: 'x', tools: [...tools, edits], text: { format } })
    const ask = () => createResponse.language?.ask(prepared, { ...CLAUDE, objectTool: 'edits__patch' })
    expect(ask).toThrow(expect.objectContaining({ condition: 'invalid_request', param: 'tools[2].tools[0].name' }))
  })

  it('are told the grammar of a custom one, which is named as the caller does: its model need not follow it', async () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
    const edits = { type: 'namespace', name: 'edits', tools: [{ type: 'custom', name: 'patch', format }] }
    const prepared = await preparedResponse({ input: 'x', tools: [edits] })
    expect(createResponse.language?.ask(prepared, CLAUDE)).toMatchObject({
      options: { tools: [{ name: 'edits__patch', description: expect.stringContaining(format.definition) }] },
      ignored: ['tools.format'],
    })
  })
})

it('passes namespaces on to vendors that speak this wire, with the calls of their tools', async () => {
  const input = [
    { ...asked, arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: 'done' },
  ]
  const request = nativeRequest(await preparedResponse({ input, tools }))
  expect(request.tools).toEqual(tools)
  expect(request.input).toMatchObject([{ ...asked, arguments: '{}' }, {}])
})

it.each([
  [{ type: 'namespace', name: 'a', tools: [] }, 'tools[0].tools'],
  [{ type: 'namespace', name: 'a', tools: [{ type: 'web_search' }] }, 'tools[0].tools[0].type'],
  [{ type: 'namespace', name: 'a', tools: [agents] }, 'tools[0].tools[0].type'],
  [{ type: 'namespace', tools: agents.tools }, 'tools[0].name'],
])('refuses a namespace that holds anything else: %j', (tool, param) => {
  expect(() => createResponse.parse({ model: 'm', input: 'x', tools: [tool] })).toThrow(
    expect.objectContaining({ condition: 'invalid_request', param }),
  )
})
