import { describe, expect, it } from 'vitest'
import type { JsonRecord } from '../history/json.ts'
import { isFirstToken, withChunk } from './chat-stream.ts'
import { answer } from './testing.ts'

const chunk = (delta: JsonRecord, more: JsonRecord = {}): JsonRecord => ({
  choices: [{ index: 0, delta, finish_reason: null }],
  ...more,
})

describe('withChunk', () => {
  it('adds up text, thoughts, the reason of the end, and what it cost', () => {
    const chunks: JsonRecord[] = [
      chunk({ role: 'assistant', content: '' }),
      chunk({ reasoning_content: 'Hm. ' }),
      chunk({ content: 'Hel' }),
      chunk({ content: 'lo' }),
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 2, cost: 0.000001501 } },
    ]
    expect(chunks.map(isFirstToken)).toEqual([false, true, true, true, false, false])
    const whole = chunks.reduce(withChunk, answer({ state: 'running' }))
    expect(whole).toMatchObject({ text: 'Hello', reasoning: 'Hm. ', finish: 'stop' })
    expect(whole.figures).toMatchObject({ costNano: '1501', inputTokens: 7, outputTokens: 2 })
  })

  it('gathers the images that a model makes, but not those that are only an address', () => {
    const image = (url: string) => chunk({ images: [{ type: 'image_url', image_url: { url } }] })
    const chunks = [chunk({ content: 'Here.' }), image('data:image/png;base64,AA=='), image('https://example.com/a.png')]
    expect(chunks.map(isFirstToken)).toEqual([true, true, false])
    const whole = [...chunks, image('data:image/png;base64,BB==')].reduce(withChunk, answer())
    expect(whole).toMatchObject({ text: 'Here.', images: ['data:image/png;base64,AA==', 'data:image/png;base64,BB=='] })
    expect(withChunk(answer(), chunk({ content: 'x', images: null }))).not.toHaveProperty('images')
  })

  it('gathers the pages that it cites, each once', () => {
    const cite = (url: string) => chunk({ annotations: [{ type: 'url_citation', url_citation: { url, title: `At ${url}` } }] })
    const urls = ['https://a.example/', 'https://b.example/', 'https://a.example/', 'javascript:alert(1)']
    const { pages } = [chunk({ content: 'x' }), ...urls.map(cite)].reduce(withChunk, answer())
    expect(pages).toEqual(urls.slice(0, 2).map((url) => ({ url, title: `At ${url}` })))
    expect(withChunk(answer(), chunk({ content: 'x', annotations: [] }))).not.toHaveProperty('pages')
  })

  it('puts calls together from their pieces, each by its index', () => {
    const pieces = [
      [{ index: 0, id: 'c1', type: 'function', function: { name: 'one', arguments: '' } }],
      [{ index: 1, id: 'c2', type: 'function', function: { name: 'two', arguments: '{"b"' } }],
      [{ index: 0, function: { arguments: '{"a":1}' }, extra_content: { google: { thought_signature: 's' } } }],
      [{ index: 1, function: { arguments: ':2}' } }],
    ]
    const { calls } = pieces.map((calls) => chunk({ tool_calls: calls })).reduce(withChunk, answer())
    expect(calls).toEqual([
      { id: 'c1', index: 0, name: 'one', arguments: '{"a":1}', result: null, extra: { google: { thought_signature: 's' } } },
      { id: 'c2', index: 1, name: 'two', arguments: '{"b":2}', result: null, extra: null },
    ])
  })

  it('puts calls together wherever their indexes begin, and takes one without an index as a whole', () => {
    const pieces = [
      [{ index: 1, id: 'c1', function: { name: 'one', arguments: '' } }],
      [{ index: 1, function: { arguments: '{"a"' } }],
      [{ index: 3, id: 'c3', function: { name: 'three', arguments: '{}' } }],
      [{ index: 1, function: { arguments: ':1}' } }],
      [{ function: { name: 'four', arguments: '{"d":4}' } }],
    ]
    const { calls } = pieces.map((calls) => chunk({ tool_calls: calls })).reduce(withChunk, answer())
    expect(calls.map(({ id, name, arguments: input }) => [id, name, input])).toEqual([
      ['c1', 'one', '{"a":1}'],
      ['c3', 'three', '{}'],
      ['call_2', 'four', '{"d":4}'],
    ])
  })

  it('takes reasoning that was counted and not shown for hidden', () => {
    const usage = { completion_tokens: 5100, completion_tokens_details: { reasoning_tokens: 5000 } }
    const spoken = chunk({ content: 'Hi' })
    const figuresOf = (...chunks: JsonRecord[]) => chunks.reduce(withChunk, answer()).figures
    expect(figuresOf(spoken, { choices: [], usage }).hiddenTokens).toBe(5000)
    expect(figuresOf(chunk({ reasoning: 'Hm.' }), spoken, { choices: [], usage }).hiddenTokens).toBe(0)
  })

  it('keeps every nano of a cost that a float can hold', () => {
    for (const nano of [1n, 999_999_999n, 123_456_789_012_345n, 4_000_000_000_000_001n]) {
      const cost = Number(`${nano / 1_000_000_000n}.${String(nano % 1_000_000_000n).padStart(9, '0')}`)
      expect(withChunk(answer(), { choices: [], usage: { cost } }).figures.costNano).toBe(String(nano))
    }
  })
})
