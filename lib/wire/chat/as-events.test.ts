import { expect, it } from 'vitest'
import { NO_USAGE } from '../../domain/usage.ts'
import { completions } from '../completions.ts'
import { type JsonObject, objectsIn } from '../json.ts'
import { eventDataOf, iterateEvents } from '../sse.ts'
import { RULES } from '../testing.ts'
import { choicesAsEvents } from './as-events.ts'
import { readNonStreamingChat } from './non-streaming.ts'

const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const usage = { prompt_tokens: 1, completion_tokens: 2 }
const message = { role: 'assistant', content: 'Hi' }
const chat = { id: 'c', created: 7, choices: [{ index: 0, message, finish_reason: 'stop' }], usage }

it('a whole answer is a chunk with all of it, its usage and the end', () => {
  const data = [...iterateEvents(choicesAsEvents(bytesOf(chat)))].map(eventDataOf)
  expect(data.slice(0, -1).map((item) => JSON.parse(item ?? ''))).toEqual([
    { id: 'c', created: 7, choices: [{ index: 0, delta: message, finish_reason: 'stop' }] },
    { id: 'c', created: 7, choices: [], usage },
  ])
  expect(data.at(-1)).toBe('[DONE]')
})

const end = { index: 0, finish_reason: 'stop' }

it.each([
  ['no JSON', '{"choices":[{"index":0,"mess'],
  ['no object', '[]'],
  ['no choices', { id: 'c', usage }],
  ['choices that are no list', { choices: { 0: chat.choices[0] }, usage }],
  ['an empty list of choices', { choices: [], usage }],
  ['a choice without a message', { choices: [end], usage }],
  ['a choice whose message is null', { choices: [{ ...end, message: null }], usage }],
  ['a choice whose message is text', { choices: [{ ...end, message: 'Hi' }], usage }],
  ['a choice of a stream', { choices: [{ ...end, delta: message }], usage }],
  ['a choice of completions', { choices: [{ ...end, text: 'Hi' }], usage }],
  ['an error beside a choice', { ...chat, error: { code: 500 } }],
])('%s is as little an answer in a stream as without one', (_, answer) => {
  const broken = expect.objectContaining({ mark: 'stream_broken' })
  expect(() => choicesAsEvents(bytesOf(answer))).toThrow(broken)
  expect(() => readNonStreamingChat(bytesOf(answer), RULES)).toThrow(broken)
})

it('a completion is told by its text', () => {
  const [form] = completions.forms
  const events = form?.asEvents?.(bytesOf({ choices: [{ ...end, text: 'Hi' }] }))
  expect(events?.toString()).toContain('"text":"Hi"')
  expect(() => form?.asEvents?.(bytesOf(chat))).toThrow(expect.objectContaining({ mark: 'stream_broken' }))
})

it('a choice that is none is left out, and the others keep their numbers', () => {
  const choices = [{ finish_reason: 'stop' }, null, { message, finish_reason: 'stop' }]
  const kept = [{ index: 2, finish_reason: 'stop' }]
  const written: JsonObject = JSON.parse(readNonStreamingChat(bytesOf({ choices }), RULES).encode(NO_USAGE, 0n).toString())
  expect(written.choices).toMatchObject(kept)
  const [first] = iterateEvents(choicesAsEvents(bytesOf({ choices })))
  expect(objectsIn(JSON.parse(eventDataOf(first ?? Buffer.alloc(0)) ?? '').choices)).toMatchObject(kept)
})
