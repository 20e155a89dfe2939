import { expect, it } from 'vitest'
import { inOurHead } from './head.ts'
import { ChatTap } from './tap.ts'
import { readWholeChat } from './whole.ts'

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
  expect(inOurHead(chunk('Hi', theirs), CHUNK)).toEqual(chunk('Hi', ours))
})

it.each([{}, { service_tier: null }, { service_tier: 'default' }, { service_tier: 'flex' }])(
  '%j is the very same object',
  (head) => {
    const answer = chunk('Hi', { object: CHUNK, ...head })
    expect(inOurHead(answer, CHUNK)).toBe(answer)
  },
)

it('every event of a stream has it, those too that differ in their text alone', () => {
  const tap = new ChatTap({ modelId: 'our/model', wantsUsage: false })
  const said = ['one', ' two', ' three', ' four'].map((text) => chunk(text, { service_tier: 'on_demand' }))
  const out = Buffer.from(tap.push(Buffer.from(said.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')))).toString()
  const events = out.split('\n\n').flatMap((event) => (event === '' ? [] : [JSON.parse(event.slice(6)) as unknown]))
  expect(events).toEqual(said.map((event) => ({ ...event, object: CHUNK, model: 'our/model', service_tier: 'default' })))
})

it('so has a whole answer', () => {
  const message = { role: 'assistant', content: 'Hi' }
  const answer = { id: 'c', service_tier: 'on_demand', choices: [{ index: 0, message, finish_reason: 'stop' }] }
  const whole = readWholeChat(Buffer.from(JSON.stringify(answer)), 'our/model')
  expect(whole.folded()).toMatchObject({ object: 'chat.completion', service_tier: 'default', model: 'our/model' })
})
