import { describe, expect, it } from 'vitest'
import type { Fields } from '../vendor.ts'
import { anthropicCorrections } from './anthropic-answer.ts'

const cited = {
  type: 'web_search_result_location',
  url: 'https://a.example',
  title: 'A',
  cited_text: 'x',
  encrypted_index: 'i',
  new: 1,
}
const { new: _, ...known } = cited
const shown = { ...known, cited_text: '', encrypted_index: '' }
const correct = (...events: object[]): readonly Fields[] => {
  const correctEvent = anthropicCorrections.events()
  return events.flatMap((event) => correctEvent(event as Fields))
}
const start = (content_block: object) => ({ type: 'content_block_start', index: 0, content_block })
const result = (content: unknown) => ({ type: 'web_search_tool_result', tool_use_id: 's', content })

describe('a search in an answer of Claude', () => {
  it('keeps whether it failed, and nothing that it found', () => {
    const kept = { content: [] }
    const failed = (error_code: string) => ({ content: { type: 'web_search_tool_result_error', error_code } })
    for (const [content, expected] of [
      [[{ type: 'web_search_result', encrypted_content: 'large' }], kept],
      [{ type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' }, failed('max_uses_exceeded')],
      [{ type: 'web_search_tool_result_error' }, failed('unavailable')],
      [null, failed('unavailable')],
      ['Busy.', failed('unavailable')],
    ] as const) {
      expect(correct(start(result(content)))).toEqual([start({ ...result(null), ...expected })])
      expect(anthropicCorrections.answer({ content: [result(content)] })).toEqual({ content: [{ ...result(null), ...expected }] })
    }
  })

  it('cites pages, in deltas or where a block begins, and nothing that its package does not know', () => {
    const delta = (fields: object) => ({ type: 'content_block_delta', index: 0, delta: fields })
    const text = { type: 'text', text: 'Whole.', citations: [cited, { type: 'char_location' }] }
    expect(correct(start(text))).toEqual([
      start({ type: 'text', text: '', citations: [] }),
      delta({ type: 'citations_delta', citation: shown }),
      delta({ type: 'text_delta', text: 'Whole.' }),
    ])
    const empty = start({ type: 'text', text: '', citations: [] })
    expect(correct(empty)).toEqual([empty])
    expect(correct(delta({ type: 'citations_delta', citation: cited }))).toEqual([
      delta({ type: 'citations_delta', citation: shown }),
    ])
    expect(correct(delta({ type: 'citations_delta', citation: { type: 'char_location' } }))).toEqual([])
  })

  it('is the only tool of Anthropic’s that is shown', () => {
    const use = (name: string) => start({ type: 'server_tool_use', id: 's', name, input: {} })
    expect(correct(use('web_search'), use('code_execution'))).toEqual([use('web_search')])
  })
})
