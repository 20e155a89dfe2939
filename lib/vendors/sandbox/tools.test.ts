import { describe, expect, it } from 'vitest'
import { answerTo, callContent, newsTool, payloadsOf, rawAnswerTo, userBody, weatherTool } from './testing.ts'

describe('tools', () => {
  const callsOf = async (body: Record<string, unknown>) => {
    const { choices } = await answerTo(body)
    const calls = choices[0]?.message.tool_calls ?? []
    return {
      finish: choices[0]?.finish_reason,
      content: choices[0]?.message.content,
      calls: calls.map(callContent),
      ids: calls.map(({ id }) => id),
    }
  }
  const both = { ...userBody('Paris'), tools: [weatherTool, newsTool] }
  const called = { name: 'get_weather', arguments: '{"city":"Paris","unit":"celsius"}' }

  it('calls the first, with arguments that fit', async () => {
    const { finish, content, calls, ids } = await callsOf(both)
    expect({ finish, content, calls }).toEqual({ finish: 'tool_calls', content: null, calls: [called] })
    expect(ids[0]).toMatch(/^call_[0-9A-Za-z]{24}$/)
  })

  it('calls none again when the result is an image, which follows in a message of the user', async () => {
    const call = { id: 'call_1', type: 'function', function: called }
    const shown = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,aGVsbG8=' } }]
    const conversation = [
      ...userBody('Paris').messages,
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Below.' },
    ]
    const { calls, content } = await callsOf({ ...both, messages: [...conversation, ...userBody(shown).messages] })
    expect(calls).toEqual([])
    expect(content).toContain('The tool get_weather answered: "Below.". I received 1 image (image/png, 5 bytes).')
    expect((await callsOf({ ...both, messages: [...conversation, ...userBody('Again').messages] })).calls).toHaveLength(1)
  })

  it.each<[string, Record<string, unknown>, string[]]>([
    ['none when told so', { tool_choice: 'none' }, []],
    ['the one that is chosen', { tool_choice: { type: 'function', function: { name: 'find_news' } } }, ['find_news']],
    [
      'only what is allowed',
      { tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [newsTool] } } },
      ['find_news'],
    ],
    ['the one that is named', userBody('use find_news, please'), ['find_news']],
    ['all that are named', userBody('get_weather and find_news'), ['get_weather', 'find_news']],
    ['one where only one may be', { ...userBody('get_weather and find_news'), parallel_tool_calls: false }, ['get_weather']],
    ['the first where a name is only a part', userBody('my_find_news'), ['get_weather']],
  ])('calls %s', async (_, body, names) => {
    const { calls, ids } = await callsOf({ ...both, ...body })
    expect(calls.map((call) => 'name' in call && call.name)).toEqual(names)
    expect(new Set(ids).size).toBe(names.length)
  })

  it('answers in text once it has the result, and calls again only where it must', async () => {
    const messages = [
      { role: 'user', content: 'Paris' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: called }] },
      { role: 'tool', content: '{"degrees":21}', tool_call_id: 'call_1' },
    ]
    const answered = await callsOf({ ...both, messages })
    expect(answered.finish).toBe('stop')
    expect(answered.content).toContain('The tool get_weather answered: "{"degrees":21}".')
    expect((await callsOf({ ...both, messages, tool_choice: 'required' })).calls).toHaveLength(1)
  })

  it('hands free text to a custom tool', async () => {
    const { calls } = await callsOf({ ...userBody('print(1)'), tools: [{ type: 'custom', custom: { name: 'python' } }] })
    expect(calls).toEqual([{ name: 'python', input: 'print(1)' }])
  })

  it('streams arguments in fragments', async () => {
    const payloads = payloadsOf(await rawAnswerTo({ ...both, stream: true }))
    const deltas = payloads.slice(1, -3).map((payload) => JSON.parse(payload).choices[0].delta.tool_calls[0])
    expect(deltas[0]).toMatchObject({ index: 0, type: 'function', function: { name: 'get_weather', arguments: '' } })
    expect(deltas.length).toBeGreaterThan(5)
    expect(deltas.map((delta) => delta.function.arguments).join('')).toBe(called.arguments)
    for (const delta of deltas.slice(1)) expect(Object.keys(delta)).toEqual(['index', 'function'])
  })

  it('cuts arguments at the cap', async () => {
    const { choices, usage } = await answerTo(both, { cap: 4 })
    expect(choices[0]?.finish_reason).toBe('length')
    expect(choices[0]?.message.tool_calls?.map(callContent)).toEqual([{ name: 'get_weather', arguments: '{"city' }])
    expect(usage?.completion_tokens).toBe(4)
  })
})
