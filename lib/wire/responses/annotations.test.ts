import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { sourcesIn } from './annotations.ts'
import { ItemWriter } from './writer.ts'

const cited = (url: string, more: object = {}) => ({ type: 'url_citation', url_citation: { url, ...more } })
const annotation = (url: string, more: object = {}) => ({
  ...{ type: 'url_citation', url, title: url, start_index: 0, end_index: 0 },
  ...more,
})

/** Writes deltas of a chat, each with what stands beside its choice. Returns the items and the events of annotations. */
function write(deltas: readonly (readonly [delta: JsonObject, answer?: JsonObject])[]) {
  const events: JsonObject[] = []
  const sendEvent = (type: string, fields: JsonObject) => void events.push({ type, ...fields })
  const writer = new ItemWriter('resp_1', sendEvent, new Map())
  for (const [delta, answer = {}] of deltas) writer.add(delta, [], sourcesIn(answer))
  writer.close('completed')
  const annotationsOf = (item: JsonObject) => (item.content as JsonObject[]).map((part) => part.annotations)
  return {
    output: writer.output.filter(({ type }) => type === 'message').map(annotationsOf),
    added: events.filter(({ type }) => type === 'response.output_text.annotation.added'),
    order: events.map(({ type }) => type),
  }
}

describe('what a text cites', () => {
  it('is in its part, and an event for each, before the text ends', () => {
    const { output, added, order } = write([
      [{ role: 'assistant', content: 'See there.' }],
      [{ annotations: [cited('https://a.example', { title: 'A', start_index: 4, end_index: 9 }), cited('https://b.example')] }],
      [{ content: '' }],
    ])
    const expected = [
      annotation('https://a.example', { title: 'A', start_index: 4, end_index: 9 }),
      annotation('https://b.example'),
    ]
    expect(output).toEqual([[expected]])
    expect(added.map(({ annotation_index, content_index, annotation: one }) => [annotation_index, content_index, one])).toEqual([
      [0, 0, expected[0]],
      [1, 0, expected[1]],
    ])
    expect(order.indexOf('response.output_text.annotation.added')).toBeLessThan(order.indexOf('response.output_text.done'))
  })

  it('is the same in a whole message', () => {
    const { output } = write([[{ content: 'x', annotations: [cited('https://a.example')] }]])
    expect(output).toEqual([[[annotation('https://a.example')]]])
  })

  it('waits for a text if it comes first, as after reasoning', () => {
    const { output } = write([
      [{ annotations: [cited('https://a.example')] }],
      [{ reasoning_content: 'Hm.', annotations: [cited('https://b.example')] }],
      [{ content: 'x' }],
    ])
    expect(output).toEqual([[[annotation('https://a.example'), annotation('https://b.example')]]])
  })

  it('is there once, although Perplexity names it beside every chunk', () => {
    const results = { search_results: [{ title: 'A', url: 'https://a.example', date: 'x' }], citations: ['https://a.example'] }
    const { output, added } = write([
      [{ content: 'x' }, results],
      [{ content: 'y' }, results],
      [{}, { ...results, search_results: [...results.search_results, { title: 'B', url: 'https://b.example' }] }],
    ])
    expect(output).toEqual([[[annotation('https://a.example', { title: 'A' }), annotation('https://b.example', { title: 'B' })]]])
    expect(added.length).toBe(2)
  })

  it('is the address alone where that is all that there is', () => {
    expect(sourcesIn({ citations: ['https://a.example', 5, ''] })).toEqual([annotation('https://a.example')])
  })

  it.each([
    [{ annotations: [null, 5, {}, { type: 'file_citation', file_id: 'x' }, cited('')] }],
    [{ annotations: 'none' }],
    [{ annotations: [{ type: 'url_citation', url_citation: 'https://a.example' }] }],
  ])('is nothing in %j', (delta) => {
    expect(write([[{ content: 'x' }], [delta as JsonObject]]).output).toEqual([[[]]])
  })

  it('is not added to a refusal, and ends at some number', () => {
    const many = Array.from({ length: 2000 }, (_, index) => cited(`https://a.example/${index}`))
    const { output } = write([[{ refusal: 'No.', annotations: many.slice(0, 1) }], [{ content: 'x', annotations: many }]])
    expect(output[0]?.[1]).toHaveLength(1000)
  })
})
