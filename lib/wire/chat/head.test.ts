import { expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { eventDataOf, iterateEvents } from '../sse.ts'
import { CALLS } from '../testing.ts'
import { normalizeHead, normalizeRoles } from './head.ts'
import { readNonStreamingChat } from './non-streaming.ts'
import { ChatTap } from './tap.ts'

const CHUNK = 'chat.completion.chunk'
const chunk = (content: string, head: object = {}) => ({
  id: 'c',
  ...head,
  model: 'up',
  choices: [{ index: 0, delta: { content }, finish_reason: null }],
})

it.each([
  ['of a tier of the vendor’s own', { object: CHUNK, service_tier: 'on_demand' }, { object: CHUNK, service_tier: 'default' }],
  ['whose object is empty', { object: '' }, { object: CHUNK }],
  ['without an object', {}, { object: CHUNK }],
  ['whose object is another', { object: 'chat.completion.done', service_tier: null }, { object: CHUNK, service_tier: null }],
])('a chunk %s has the head that OpenAI’s clients take', (_, theirs, ours) => {
  expect(normalizeHead(chunk('Hi', theirs), CHUNK)).toEqual(chunk('Hi', ours))
})

it.each([{}, { service_tier: null }, { service_tier: 'default' }, { service_tier: 'flex' }])(
  '%j is the very same object',
  (head) => {
    const answer = chunk('Hi', { object: CHUNK, ...head })
    expect(normalizeHead(answer, CHUNK)).toBe(answer)
  },
)

it('every event of a stream has it, those too that differ in their text alone', () => {
  const tap = new ChatTap({ modelId: 'our/model', wantsUsage: false, calls: CALLS })
  const said = ['one', ' two', ' three', ' four'].map((text) => chunk(text, { service_tier: 'on_demand' }))
  const out = Buffer.from(tap.push(Buffer.from(said.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')))).toString()
  const events = out.split('\n\n').flatMap((event) => (event === '' ? [] : [JSON.parse(event.slice(6)) as unknown]))
  const head = { object: CHUNK, model: 'our/model', service_tier: 'default' }
  expect(events.slice(1)).toEqual(said.slice(1).map((event) => ({ ...event, ...head })))
  expect(events[0]).toMatchObject(head)
})

const choice = (index: number, delta: JsonObject) => ({ index, delta, finish_reason: null })
const role = 'assistant'

it.each([
  ['a role that is missing', { content: 'Hi' }, { role, content: 'Hi' }],
  ['a role that is null', { role: null, content: 'Hi' }, { role, content: 'Hi' }],
  ['a role that is empty', { role: '', content: 'Hi' }, { role, content: 'Hi' }],
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
  const tap = new ChatTap({ modelId: 'our/model', wantsUsage: false, calls: CALLS })
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
  const tap = new ChatTap({ modelId: 'our/model', wantsUsage: false, calls: CALLS })
  const said = ['one', ' two', ' three', ' four']
  const out = Buffer.from(tap.push(Buffer.from(said.map((text) => `data: ${JSON.stringify(write(text))}\n\n`).join(''))))
  const deltas = [...iterateEvents(out)].map((raw) => JSON.parse(eventDataOf(raw) ?? '').choices[0].delta)
  expect(deltas).toEqual(said.map((content, at) => (at === 0 ? { role, content } : { content })))
})

it('so has a whole answer', () => {
  const message = { role: 'assistant', content: 'Hi' }
  const answer = { id: 'c', service_tier: 'on_demand', choices: [{ index: 0, message, finish_reason: 'stop' }] }
  const whole = readNonStreamingChat(Buffer.from(JSON.stringify(answer)), { modelId: 'our/model', ...CALLS })
  expect(whole.toAnswerJson()).toMatchObject({ object: 'chat.completion', service_tier: 'default', model: 'our/model' })
})
