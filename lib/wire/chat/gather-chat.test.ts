import { describe, expect, test } from 'vitest'
import { StreamBrokenError } from '../answer.ts'
import type { JsonObject } from '../json.ts'
import { areEvents, gatherChat } from './gather-chat.ts'

const event = (delta: object, more: object = {}, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta, finish_reason: finish, ...more }] })}\n\n`

const gathered = (...events: string[]) => gatherChat(Buffer.from(`${events.join('')}data: [DONE]\n\n`))

describe('events are told from JSON', () => {
  test.each([
    ['data: {}\n\n', true],
    ['\n\ndata: {}\n\n', true],
    [': waiting\n\ndata: {}\n\n', true],
    ['\ufeffdata: {}\n\n', true],
    ['event: message\ndata: {}\n\n', true],
    ['{"data": 1}', false],
    ['\n  {"data": 1}', false],
    ['"data:"', false],
    ['<html>data:</html>', false],
    ['', false],
  ])('%j', (text, are) => {
    expect(areEvents(Buffer.from(text))).toBe(are)
  })
})

test('what is told of each token is put together in about the time that its words take', () => {
  const each = { content: [{ token: 'a ', logprob: -1, top_logprobs: [] }], refusal: null }
  const most = 40_000
  const begunMs = performance.now()
  const answer = gathered(event({ content: 'a ' }, { logprobs: each }).repeat(most), event({}, {}, 'stop'))
  // Takes half a second. If each chunk had everything before it copied, it would take half a minute.
  expect(performance.now() - begunMs).toBeLessThan(8000)
  expect(answer.choices).toEqual([
    expect.objectContaining({
      message: expect.objectContaining({ content: 'a '.repeat(most) }),
      logprobs: { content: Array.from({ length: most }, () => each.content[0]), refusal: null },
    }),
  ])
})

test('texts that are known here by no name go on, and what is said of a choice stays', () => {
  const answer = gathered(
    event({ content: 'a', thinking: 'I th' }),
    event({ content: 'b', thinking: 'ink' }, { content_filter_results: { hate: 'safe' } }),
    event({}, { stop_reason: 7 }, 'stop'),
  )
  expect(answer.choices).toEqual([
    expect.objectContaining({
      message: expect.objectContaining({ content: 'ab', thinking: 'I think' }),
      content_filter_results: { hate: 'safe' },
      stop_reason: 7,
      finish_reason: 'stop',
    }),
  ])
})

test('lists of two choices are not one another’s', () => {
  const both = [0, 1].map((index) => ({ index, delta: { content: 'a', annotations: [index] }, finish_reason: 'stop' }))
  const chunk = `data: ${JSON.stringify({ choices: both })}\n\n`
  const messages = (gathered(chunk, chunk).choices as JsonObject[]).map(({ message }) => message)
  expect(messages).toEqual([expect.objectContaining({ annotations: [0, 0] }), expect.objectContaining({ annotations: [1, 1] })])
})

test.each(['no JSON', '{"error":{"message":"Too late."}}', '{"choices":[{"index":0,"delta":{"content":"b"}}]}'])(
  'what stands behind the end is nothing to anybody: %s',
  (more) => {
    const answer = gatherChat(Buffer.from(`${event({ content: 'a' }, {}, 'stop')}data: [DONE]\n\ndata: ${more}\n\n`))
    expect(answer.choices).toEqual([
      expect.objectContaining({ message: expect.objectContaining({ content: 'a' }), finish_reason: 'stop' }),
    ])
  },
)

test('an end may lack its empty line; half an event is a cut', () => {
  const said = event({ content: 'a' })
  expect(gatherChat(Buffer.from(`${said}data: [DONE]`)).choices).toHaveLength(1)
  for (const cut of [said, `${said}${event({}, {}, 'stop')}data: {"cho`])
    expect(() => gatherChat(Buffer.from(cut))).toThrow(StreamBrokenError)
})
