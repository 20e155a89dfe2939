import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { createResponse } from '../responses.ts'
import { CLAUDE, preparedResponse } from '../testing.ts'
import { nativeRequest } from './native.ts'
import { NativeTap } from './native-tap.ts'

const [, chat] = createResponse.forms
const head = { modelId: 'our/model', requestId: `req_${'0'.repeat(26)}`, at: new Date(5000), type: '' }
const parameters = { type: 'object', properties: {} }
const user = { type: 'message', role: 'user', content: 'x' }
const run = { type: 'custom', name: 'exec' }
const agents = { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn', parameters }] }
const additional = { type: 'additional_tools', id: 'at_1', role: 'developer', tools: [run, agents] }
const search = { type: 'tool_search', execution: 'client', description: 'Finds tools.', parameters }
const searchCall = { type: 'tool_search_call', id: 'tsc_1', call_id: 'c1', execution: 'client', arguments: { query: 'agents' } }
const found = { type: 'tool_search_output', call_id: 'c1', execution: 'client', status: 'completed', tools: [agents] }
const { id: _, ...bareAdditional } = additional
const { id: _c, ...bareCall } = searchCall

describe('at a vendor of responses', () => {
  it('items bring their tools as they came, at their place', async () => {
    const input = [additional, user, searchCall, found]
    const sent = nativeRequest(await preparedResponse({ tools: [search], input }))
    expect(sent).toMatchObject({ tools: [search], input: [bareAdditional, user, { ...bareCall, status: 'completed' }, found] })
    for (const item of sent.input as JsonObject[]) expect(item).not.toHaveProperty('id')
  })

  it('a shell in an item runs at the client if the item does not say where', async () => {
    const sent = nativeRequest(await preparedResponse({ input: [{ ...additional, tools: [{ type: 'shell' }] }, user] }))
    expect(sent.input).toMatchObject([{ tools: [{ type: 'shell', environment: { type: 'local' } }] }, user])
  })

  it('a call that searches for tools ends an answer as calls do, and is counted', async () => {
    const tap = new NativeTap(await preparedResponse({ tools: [search] }), head)
    const event = (data: object) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
    tap.push(event({ type: 'response.output_item.added', output_index: 0, item: { ...searchCall, status: 'in_progress' } }))
    tap.push(event({ type: 'response.completed', response: { status: 'completed', output: [searchCall], usage: null } }))
    expect(tap.end()).toMatchObject({ complete: true, finishReason: 'tool_calls' })
    expect(tap.text()).toContain('{"query":"agents"}')
    expect(tap.toAnswerJson()).toMatchObject({ output: [{ ...searchCall, id: `tsc_${'0'.repeat(26)}_0` }] })
  })

  it('all of it is held for, with what the vendor says of the tools that it defines', async () => {
    const boundOf = async (input: object[], tools: object[] = []) =>
      (await preparedResponse({ input, tools })).preparedChat.inputBound
    const one = await boundOf([user], [{ type: 'shell' }])
    expect(await boundOf([user])).toBeLessThan(one)
    expect(await boundOf([{ ...additional, tools: [{ type: 'shell' }] }, user])).toBeGreaterThan(one)
    const text = createResponse.text(await preparedResponse({ input: [additional, user, searchCall, found] }))
    for (const part of ['exec', 'agents__spawn', 'tool_search', '{\\"query\\":\\"agents\\"}']) expect(text).toContain(part)
  })
})

describe('in a chat', () => {
  it('additional tools are among its tools, and calls of them come back with their namespace', async () => {
    const prepared = await preparedResponse({ tools: [{ type: 'function', name: 'own' }], input: [additional, user] })
    chat?.check?.(prepared)
    expect(prepared.chat.body).toMatchObject({
      messages: [{ role: 'user', content: 'x' }],
      tools: [
        { type: 'function', function: { name: 'own' } },
        { type: 'custom', custom: { name: 'exec' } },
        { type: 'function', function: { name: 'agents__spawn', parameters } },
      ],
    })
    expect(prepared.chat.tools.map(({ path }) => path)).toEqual(['tools[0]', 'input[0].tools[0]', 'input[0].tools[1].tools[0]'])
  })

  it('the last of several with one name counts, and one among the tools of the request before all', async () => {
    const named = (description: string) => ({ type: 'function', name: 'f', description })
    const brings = (...tools: object[]) => ({ ...additional, tools })
    const input = [brings(named('first'), run), user, brings(named('last'))]
    const toolsOf = async (tools: object[]) => (await preparedResponse({ tools, input })).chat.body.tools
    expect(await toolsOf([])).toMatchObject([{ function: { description: 'last' } }, { custom: { name: 'exec' } }])
    expect(await toolsOf([named('own')])).toMatchObject([{ function: { description: 'own' } }, { custom: { name: 'exec' } }])
  })

  it.each([
    ['tools[0].type', { tools: [search] }],
    ['input[1].tools[1].type', { input: [user, { ...additional, tools: [run, { type: 'shell' }] }] }],
    ['input[1].tools[0].type', { input: [user, { ...additional, tools: [search] }] }],
    ['input[1].type', { input: [user, searchCall, found] }],
  ])('a 400 names what only vendors of responses have: %s', async (param, body) => {
    const prepared = await preparedResponse(body)
    const refusal = expect.objectContaining({ param, message: expect.stringMatching(/vendor offers responses/) })
    expect(() => chat?.check?.(prepared)).toThrow(refusal)
    expect(() => createResponse.language?.ask(prepared, CLAUDE)).toThrow(refusal)
  })

  it('a request of nothing but tools asks nothing', async () => {
    await expect(preparedResponse({ input: [additional] })).rejects.toMatchObject({ param: 'input' })
  })
})

describe('a 400 names', () => {
  it.each([
    [
      'a search of the web in an item',
      { input: [{ ...additional, tools: [{ type: 'web_search' }] }] },
      'input[0].tools[0].type',
      /among/,
    ],
    ['a hosted tool in an item', { input: [{ ...additional, tools: [{ type: 'mcp' }] }] }, 'input[0].tools[0].type', /billed/],
    [
      'a hosted tool that was found',
      { input: [searchCall, { ...found, tools: [{ type: 'mcp' }] }] },
      'input[1].tools[0].type',
      /billed/,
    ],
    ['tools of another role', { input: [{ ...additional, role: 'user' }] }, 'input[0].role', /developer/],
    ['a search of tools by the vendor', { tools: [{ type: 'tool_search' }] }, 'tools[0].execution', /your own program/],
    ['such a call', { input: [{ ...searchCall, execution: 'server' }, found] }, 'input[0].execution', /your own program/],
    ['a call without its output', { input: [searchCall] }, 'input[0]', /has no output/],
    ['an output without its call', { input: [user, found] }, 'input[1].call_id', /no call "c1"/],
  ])('%s', async (_name, body, param, message) => {
    await expect(preparedResponse(body)).rejects.toMatchObject({ param, message: expect.stringMatching(message) })
  })
})
