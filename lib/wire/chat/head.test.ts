import { describe, expect, it } from 'vitest'
import { NO_USAGE } from '../../domain/usage.ts'
import { CompletionFold } from '../completions/fold.ts'
import type { JsonObject } from '../json.ts'
import { eventDataOf, iterateEvents } from '../sse.ts'
import { OWN_HEAD, RULES } from '../testing.ts'
import { normalizeHead, normalizeRoles } from './head.ts'
import { readNonStreamingChat } from './non-streaming.ts'
import { ChatTap, type ChunkKind } from './tap.ts'

const CHUNK = 'chat.completion.chunk'
const HEAD = { id: 'c', object: CHUNK, created: 5 }
const chunk = (content: string, head: object = {}) => ({
  id: 'c',
  created: 7,
  ...head,
  model: 'up',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
})

it.each([
  ['of a tier of the vendor’s own', { object: CHUNK, service_tier: 'on_demand' }, { object: CHUNK, service_tier: 'default' }],
  ['whose object is empty', { object: '' }, { object: CHUNK }],
  ['without an object', {}, { object: CHUNK }],
  ['without a time', { object: CHUNK, created: undefined }, { object: CHUNK, created: 5 }],
  ['whose time is a date', { object: CHUNK, created: '2026-11-28T09:00:00Z' }, { object: CHUNK, created: 5 }],
  ['whose time is text', { object: CHUNK, created: '1790000000' }, { object: CHUNK, created: 5 }],
  ['whose time is null', { object: CHUNK, created: null }, { object: CHUNK, created: 5 }],
  ['whose time is zero', { object: CHUNK, created: 0 }, { object: CHUNK, created: 5 }],
  ['whose time has fractions', { object: CHUNK, created: 1790000000.5 }, { object: CHUNK, created: 5 }],
  ['whose time is in milliseconds', { object: CHUNK, created: 1_790_000_000_000 }, { object: CHUNK, created: 5 }],
  ['whose time was rounded', { object: CHUNK, created: 2 ** 53 + 2 }, { object: CHUNK, created: 5 }],
  ['without an id', { object: CHUNK, id: undefined }, { object: CHUNK }],
  ['whose id is a number', { object: CHUNK, id: 17 }, { object: CHUNK }],
  ['whose id is another', { object: CHUNK, id: 'd' }, { object: CHUNK }],
  ['whose object is another', { object: 'chat.completion.done', service_tier: null }, { object: CHUNK, service_tier: null }],
])('a chunk %s has the head that OpenAI’s clients take', (_, theirs, ours) => {
  expect(normalizeHead(chunk('Hi', theirs), HEAD)).toEqual(chunk('Hi', ours))
})

it.each([{}, { service_tier: null }, { service_tier: 'default' }, { service_tier: 'flex' }])(
  '%j is the very same object',
  (head) => {
    const answer = chunk('Hi', { object: CHUNK, ...head })
    expect(normalizeHead(answer, HEAD)).toBe(answer)
  },
)

it('every event of a stream has it, those too that differ in their text alone', () => {
  const tap = new ChatTap({ rules: RULES, wantsUsage: false })
  const said = ['one', ' two', ' three', ' four'].map((text) => chunk(text, { service_tier: 'on_demand' }))
  const out = Buffer.from(tap.push(Buffer.from(said.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')))).toString()
  const events = out.split('\n\n').flatMap((event) => (event === '' ? [] : [JSON.parse(event.slice(6)) as unknown]))
  const head = { object: CHUNK, model: 'our/model', service_tier: 'default' }
  expect(events.slice(1)).toEqual(said.slice(1).map((event) => ({ ...event, ...head })))
  expect(events[0]).toMatchObject(head)
})

/** A stream as it is passed on, with its last events. */
function pass(said: readonly object[], kind?: ChunkKind): JsonObject[] {
  const tap = new ChatTap({ rules: RULES, wantsUsage: true, ...(kind ? { kind } : {}) })
  const out = tap.push(Buffer.from(said.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')))
  const data = [...iterateEvents(Buffer.concat([out, tap.tail(NO_USAGE, 0n)]))].map(eventDataOf)
  return data.slice(0, -1).map((item) => JSON.parse(item ?? ''))
}
const headsIn = (events: readonly JsonObject[]) => events.map(({ id, created }) => ({ id, created }))
const words = ['one', ' two', ' three', ' four']

describe('a stream', () => {
  it.each([
    ['without ids and times', () => ({ id: undefined, created: undefined })],
    ['whose ids are empty and whose times are zero', () => ({ id: '', created: 0 })],
    ['whose ids are numbers and whose times are dates', () => ({ id: 17, created: '2026-11-28' })],
    ['whose ids are null and whose times were rounded', () => ({ id: null, created: 2 ** 60 })],
    ['that has them too late', (at: number) => (at < 2 ? { id: null, created: null } : { created: OWN_HEAD.created })],
  ])('%s has our id and the time of the request in every event', (_, headAt) => {
    const said = words.map((text, at) => chunk(text, { object: CHUNK, ...headAt(at) }))
    const sent = pass(said)
    expect(headsIn(sent)).toEqual(sent.map(() => OWN_HEAD))
    expect(sent).toHaveLength(words.length + 2)
    const [, second] = sent
    expect(second).toEqual({ ...said[1], ...OWN_HEAD, model: 'our/model' })
  })

  it('keeps the id and the time of its first chunk, where later ones have none or other ids', () => {
    const own = [{}, { id: undefined, created: undefined }, { id: 'd' }, { created: 9 }]
    const sent = pass(words.map((text, at) => chunk(text, { object: CHUNK, ...own[at] })))
    const heads = [7, 7, 7, 9, 7, 7].map((created) => ({ id: 'c', created }))
    expect(headsIn(sent)).toEqual(heads)
  })

  it('whose events are right is passed on as its own bytes', () => {
    const tap = new ChatTap({ rules: RULES, wantsUsage: false })
    const opening = { ...chunk('', { object: CHUNK }), model: 'our/model', choices: [{ index: 0, delta: { role: 'assistant' } }] }
    const said = [opening, ...words.map((text) => ({ ...chunk(text, { object: CHUNK }), model: 'our/model' }))]
    const bytes = Buffer.from(said.map((event) => `data: ${JSON.stringify(event, null, 1).replaceAll('\n', '')}\n\n`).join(''))
    expect(Buffer.from(tap.push(bytes)).toString()).toBe(bytes.toString())
  })

  it('of a completion has an id of completions', () => {
    const kind = { object: 'text_completion', idPrefix: 'cmpl', fold: new CompletionFold(() => '') } as const
    const sent = pass([{ object: 'text_completion', choices: [{ index: 0, text: 'Hi', finish_reason: 'stop' }] }], kind)
    expect(headsIn(sent)).toEqual([1, 2].map(() => ({ ...OWN_HEAD, id: OWN_HEAD.id.replace('chatcmpl', 'cmpl') })))
  })
})

const choice = (index: number, delta: JsonObject) => ({ index, delta, finish_reason: null })
const role = 'assistant'

it.each([
  ['a role that is missing', { content: 'Hi' }, { role, content: 'Hi' }],
  ['a role that is null', { role: null, content: 'Hi' }, { role, content: 'Hi' }],
  ['a role that is empty', { role: '', content: 'Hi' }, { role, content: 'Hi' }],
  ['a role of another name', { role: 'model', content: 'Hi' }, { role, content: 'Hi' }],
])('%s is said where a choice begins', (_, theirs, ours) => {
  const first = { choices: [choice(0, theirs), choice(1, { content: 'too' })] }
  expect(normalizeRoles(first, (index) => index === 1)).toEqual({ choices: [choice(0, ours), choice(1, { content: 'too' })] })
})

it.each([
  { index: 0, finish_reason: null, content_filter_offsets: {} },
  { index: 0, finish_reason: 'stop', delta: null },
])('a choice without a delta gets one: %j', (said) => {
  expect(normalizeRoles({ choices: [said] }, () => false)).toEqual({ choices: [{ ...said, delta: { role } }] })
  expect(normalizeRoles({ choices: [said] }, () => true)).toEqual({ choices: [{ ...said, delta: {} }] })
})

it('a chunk in which nothing is said at all is not passed on, and begins no answer', () => {
  const tap = new ChatTap({ rules: RULES, wantsUsage: false })
  const said = [{ id: '', choices: [], prompt_filter_results: [{}] }, { type: 'ping' }, chunk('Hi')]
  const sent = said.map((event) => Buffer.from(tap.push(Buffer.from(`data: ${JSON.stringify(event)}\n\n: alive\n\n`))).toString())
  expect(sent.slice(0, 2)).toEqual(['', ''])
  expect(sent[2]).toMatch(/"content":"Hi".*\n\n:\n\n$/)
})

it('a role is not said again', () => {
  const again = { choices: [choice(0, { role, content: 'Hi' })] }
  expect(normalizeRoles(again, () => true)).toEqual({ choices: [choice(0, { content: 'Hi' })] })
})

it.each([
  ['that says its role', { choices: [choice(0, { role, content: '' })] }, false],
  ['that goes on', { choices: [choice(0, { role: null, content: 'Hi' })] }, true],
  ['without choices', { choices: [] }, false],
  ['of another kind', { choices: null }, false],
])('a chunk %s is the very same object', (_, same, begun) => {
  expect(normalizeRoles(same, () => begun)).toBe(same)
})

it.each([
  ['that never say a role', (content: string) => chunk(content)],
  ['that say it each time', (content: string) => ({ ...chunk(content), choices: [choice(0, { role, content })] })],
])('of events %s the first one alone has it', (_, write) => {
  const tap = new ChatTap({ rules: RULES, wantsUsage: false })
  const said = ['one', ' two', ' three', ' four']
  const out = Buffer.from(tap.push(Buffer.from(said.map((text) => `data: ${JSON.stringify(write(text))}\n\n`).join(''))))
  const deltas = [...iterateEvents(out)].map((raw) => JSON.parse(eventDataOf(raw) ?? '').choices[0].delta)
  expect(deltas).toEqual(said.map((content, at) => (at === 0 ? { role, content } : { content })))
})

it.each([{}, { role: null }, { role: '' }, { role: 'model' }])('a whole answer says its role in place of %j', (said) => {
  const choices = [{ index: 0, message: { ...said, content: 'Hi' }, finish_reason: 'stop' }]
  const whole = readNonStreamingChat(Buffer.from(JSON.stringify({ choices })), RULES)
  for (const answer of [whole.toAnswerJson(), JSON.parse(whole.encode(NO_USAGE, 0n).toString())])
    expect(answer).toMatchObject({ choices: [{ message: { role, content: 'Hi' } }] })
})

it('so has a whole answer', () => {
  const message = { role: 'assistant', content: 'Hi' }
  const answer = { service_tier: 'on_demand', choices: [{ index: 0, message, finish_reason: 'stop' }] }
  const whole = readNonStreamingChat(Buffer.from(JSON.stringify(answer)), RULES)
  const expected = { ...OWN_HEAD, object: 'chat.completion', service_tier: 'default', model: 'our/model' }
  expect(whole.toAnswerJson()).toMatchObject(expected)
  expect(JSON.parse(whole.encode(NO_USAGE, 0n).toString())).toMatchObject(expected)
})
