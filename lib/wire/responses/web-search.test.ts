import { describe, expect, it } from 'vitest'
import { createResponse } from '../responses.ts'
import { CLAUDE, preparedResponse } from '../testing.ts'
import { nativeRequest, readNonStreamingNative } from './native.ts'
import { NativeTap } from './native-tap.ts'
import { countSearches, searchOptionsOf } from './web-search.ts'

const head = { modelId: 'our/model', requestId: `req_${'0'.repeat(26)}`, at: new Date(5000), type: '' }
const TOOL = { type: 'web_search', filters: { allowed_domains: ['example.com'] }, search_context_size: 'low' }
const search = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'gates' } }
const opened = { ...search, id: 'ws_2', action: { type: 'open_page', url: 'https://example.com' } }
const priced = { rates: { web_search: 10_000_000_000_000n } }
const prepare = (body: object) => preparedResponse({ tools: [TOOL], ...body }, priced)

describe('a search of the web', () => {
  it('is a 400 for a model that has no price for it', async () => {
    await expect(preparedResponse({ tools: [{ type: 'function', name: 'f' }, TOOL] })).rejects.toMatchObject({
      param: 'tools[1].type',
      message: expect.stringMatching(/"our\/model" has no price for them.*"web_search"/),
    })
  })

  it.each(['web_search_preview', 'web_search_preview_2025_03_11'])('has a name of today: %s', async (type) => {
    await expect(prepare({ tools: [{ type }] })).rejects.toMatchObject({
      param: 'tools[0].type',
      message: expect.stringMatching(/Send the tool "web_search" instead/),
    })
  })

  it.each(['country', 'region', 'city', 'timezone'])('has a text for %s, if any', async (field) => {
    const toolWith = (value: unknown) => ({ tools: [{ ...TOOL, user_location: { type: 'approximate', [field]: value } }] })
    await expect(prepare(toolWith(5))).rejects.toMatchObject({ param: `tools[0].user_location.${field}` })
    for (const value of ['Berlin', null]) expect(nativeRequest(await prepare(toolWith(value)))).toMatchObject(toolWith(value))
  })

  it('goes to its vendor as it came, with the number that is held for', async () => {
    const include = ['web_search_call.action.sources', 'code_interpreter_call.outputs']
    const choice = { tool_choice: { type: 'web_search' } }
    expect(nativeRequest(await prepare({ include, ...choice }))).toMatchObject({
      tools: [TOOL],
      tool_choice: { type: 'web_search' },
      max_tool_calls: 10,
      include: ['web_search_call.action.sources'],
    })
    expect(nativeRequest(await prepare({ max_tool_calls: 3 }))).toMatchObject({ max_tool_calls: 3 })
    const plain = nativeRequest(await preparedResponse({ include }))
    expect(plain).not.toHaveProperty('max_tool_calls')
    expect(plain).not.toHaveProperty('include')
  })

  it('is held for as in a chat, which says the same of it', () => {
    const location = { country: 'NZ', city: 'Dunedin' }
    const tool = { ...TOOL, user_location: { type: 'approximate', ...location } }
    expect(searchOptionsOf({ tools: [{ type: 'function' }, tool], max_tool_calls: 3 })).toEqual({
      max_uses: 3,
      filters: TOOL.filters,
      search_context_size: 'low',
      user_location: { type: 'approximate', approximate: { type: 'approximate', ...location } },
    })
    expect(searchOptionsOf({ tools: [TOOL] })).not.toHaveProperty('max_uses')
    expect(searchOptionsOf({ tools: [{ type: 'function' }], max_tool_calls: 3 })).toBeNull()
    expect(searchOptionsOf({ tools: [TOOL], tool_choice: 'none' })).toBeNull()
  })

  it.each([
    [[{ type: 'function', name: 'f' }], 'auto', undefined],
    [[{ type: 'web_search' }], 'none', undefined],
    [[{ type: 'function', name: 'f' }, { type: 'web_search' }], 'auto', { maxSearches: 10 }],
  ])('is asked for over the bridge if it is among the allowed tools: %o, %s', async (tools, mode, asked) => {
    const choice = { type: 'allowed_tools', mode, tools }
    const prepared = await prepare({ tools: [{ type: 'function', name: 'f' }, { type: 'web_search' }], tool_choice: choice })
    const search = {
      bills: 'searches',
      cites: 'blocks',
      filters: true,
      location: true,
      limit: true,
      besideFunctions: true,
    } as const
    expect(createResponse.language?.ask(prepared, { ...CLAUDE, search }).extras.webSearch).toEqual(asked)
    expect(prepared.chat.body).toHaveProperty('web_search_options')
  })

  it('is sent back without the id that its vendor does not know, and is no part of a chat', async () => {
    const prepared = await prepare({ input: [{ role: 'user', content: 'x' }, search, { role: 'user', content: 'y' }] })
    const { id: _, ...bare } = search
    expect(nativeRequest(prepared)).toMatchObject({ input: [{ role: 'user' }, bare, { role: 'user' }] })
    expect(prepared.chat.body.messages).toEqual([
      { role: 'user', content: 'x' },
      { role: 'user', content: 'y' },
    ])
  })

  it('does not run in a chat, which can still go on after one', async () => {
    const chat = createResponse.forms[1]
    const asked = await prepare({})
    expect(() => chat?.check?.(asked)).toThrow(expect.objectContaining({ param: 'tools[0].type' }))
    const continued = await prepare({ tools: [], input: [search, { role: 'user', content: 'y' }] })
    expect(() => chat?.check?.(continued)).not.toThrow()
  })

  it('goes on when its client leaves, because its text does not say what it costs', async () => {
    expect(createResponse.continuesAfterDisconnect?.(await prepare({}))).toBe(true)
    expect(createResponse.continuesAfterDisconnect?.(await prepare({ tools: [] }))).toBe(false)
  })
})

describe('the searches of an answer', () => {
  it('are the calls that searched, not the pages that were opened', () => {
    const failed = { ...search, status: 'failed' }
    const unknown = { type: 'web_search_call', id: 'ws_4', status: 'completed' }
    expect(countSearches([search, opened, failed, unknown, { type: 'message' }])).toBe(2)
  })

  it('are counted while they are streamed, and no other vendor is tried once one has begun', async () => {
    const tap = new NativeTap(await prepare({}), head)
    const event = (data: object) => Buffer.from(`data: ${JSON.stringify(data)}\n\n`)
    tap.push(event({ type: 'response.output_item.added', output_index: 0, item: { ...search, status: 'in_progress' } }))
    expect(tap.started).toBe(false)
    const passed = tap.push(event({ type: 'response.web_search_call.searching', output_index: 0, item_id: 'ws_1' }))
    expect(Buffer.from(passed).toString()).toContain(`"item_id":"ws_${'0'.repeat(26)}_0"`)
    expect(tap.started).toBe(true)
    expect(tap.searches).toBe(1)
    tap.push(event({ type: 'response.completed', response: { status: 'completed', output: [search, opened, search] } }))
    expect(tap.searches).toBe(2)
  })

  it('are as many as its vendor says that it bills', async () => {
    const tap = new NativeTap(await prepare({}), head)
    const usage = { input_tokens: 5, output_tokens: 5, server_side_tool_usage_details: { web_search_calls: 3 } }
    const response = { status: 'completed', output: [search, opened, opened], usage }
    tap.push(Buffer.from(`data: ${JSON.stringify({ type: 'response.completed', response })}\n\n`))
    expect(tap.searches).toBe(3)
    const whole = readNonStreamingNative(Buffer.from(JSON.stringify(response)), await prepare({}), head)
    expect(whole.searches).toBe(3)
  })

  it.each([
    ['those of the stream if its last event has no calls', [], 1],
    ['none if the calls of its last event only opened pages', [opened, opened], 0],
  ])('are %s', async (_, output, searches) => {
    const tap = new NativeTap(await prepare({}), head)
    const push = (event: object) => tap.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n`))
    // OpenAI has sent items like this one, without what they did.
    push({ type: 'response.output_item.done', output_index: 0, item: { ...search, action: undefined } })
    push({ type: 'response.output_item.done', output_index: 1, item: opened })
    push({ type: 'response.completed', response: { status: 'completed', output } })
    expect(tap.searches).toBe(searches)
  })
})
