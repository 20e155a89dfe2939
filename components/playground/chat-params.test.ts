import { describe, expect, it } from 'vitest'
import { abilitiesOf, NO_PARAMS, readParams } from './chat-params.ts'

describe('readParams', () => {
  const all = abilitiesOf({ capabilities: [] })
  it('sends what was typed, as the API names it, and nothing that was not', () => {
    expect(readParams(NO_PARAMS, all, 100)).toEqual({ fields: {}, faults: {} })
    const typed = {
      ...NO_PARAMS,
      temperature: '0.5',
      topP: '1',
      maxTokens: '64',
      seed: '0',
      stop: 'a\n\nb',
      effort: 'low' as const,
      format: 'json_object' as const,
    }
    expect(readParams(typed, all, 100).fields).toEqual({
      temperature: 0.5,
      top_p: 1,
      max_tokens: 64,
      seed: 0,
      stop: ['a', 'b'],
      reasoning_effort: 'low',
      response_format: { type: 'json_object' },
    })
  })
  it('asks for images only of a model that has a price for them', () => {
    const typed = { ...NO_PARAMS, output: 'images' as const }
    expect(readParams(typed, all, 100).fields).toEqual({})
    const draws = abilitiesOf({ capabilities: [], rates: { image_output: '1' } })
    expect(readParams(typed, draws, 100).fields).toEqual({ modalities: ['image', 'text'] })
    expect(readParams(NO_PARAMS, draws, 100).fields).toEqual({})
  })
  it('lets a model search the web only if its chats can', () => {
    const typed = { ...NO_PARAMS, search: 'web' as const }
    expect(readParams(typed, all, 100).fields).toEqual({})
    const searches = abilitiesOf({ capabilities: [], searches: true })
    expect(readParams(typed, searches, 100).fields).toEqual({ web_search_options: {} })
    expect(readParams(NO_PARAMS, searches, 100).fields).toEqual({})
  })
  it('does not ask a model for what it cannot do', () => {
    const plain = abilitiesOf({ capabilities: ['streaming'] })
    const typed = { ...NO_PARAMS, effort: 'low' as const, format: 'json_schema' as const, schema: '{', tools: '[' }
    expect(readParams(typed, plain, 100)).toEqual({ fields: {}, faults: {} })
  })
  it.each([
    ['temperature', '3', 'range'],
    ['topP', 'x', 'range'],
    ['maxTokens', '101', 'range'],
    ['maxTokens', '1.5', 'range'],
    ['tools', '[', 'json'],
    ['tools', '[{"type":"web_search"}]', 'tools'],
    ['tools', '{"name":"a b"}', 'name'],
    ['tools', '[{"name":"a"},{"name":"a"}]', 'twice'],
    ['tools', '{"name":"a","parameters":{"type":"strin"}}', 'schema.type'],
    ['tools', '{"name":"a","parameters":{"type":"string"}}', 'object'],
    ['tools', '{"name":"a","parameters":{"type":"object","properties":[]}}', 'schema.names'],
    ['tools', '{"name":"a","parameters":{"type":"object","required":"a"}}', 'schema.required'],
  ] as const)('finds what is wrong with %s: %s', (name, value, why) => {
    const { fields, faults } = readParams({ ...NO_PARAMS, [name]: value }, all, 100)
    expect(faults[name]?.why).toBe(why)
    expect(fields).toEqual({})
  })
  it('takes a function alone, and a schema for the answer', () => {
    const typed = { ...NO_PARAMS, tools: '{"name":"f"}', format: 'json_schema' as const, schema: '{"type":"object"}' }
    expect(readParams(typed, all, 100).fields).toEqual({
      tools: [{ type: 'function', function: { name: 'f' } }],
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' }, strict: true } },
    })
  })
})
