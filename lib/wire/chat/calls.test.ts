import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../json.ts'
import { CALLS, RULES } from '../testing.ts'
import { CallNormalizer, isForced } from './calls.ts'
import { readNonStreamingChat } from './non-streaming.ts'

const OWN = `call_${'0'.repeat(26)}`
const piece = (name: string | null, more: JsonObject = {}): JsonObject => ({
  type: 'function',
  function: { ...(name === null ? {} : { name }), arguments: '{}' },
  ...more,
})
const chunk = (calls: JsonObject[] | null, finish: string | null = null, index = 0): JsonObject => ({
  choices: [{ index, delta: calls ? { tool_calls: calls } : {}, finish_reason: finish }],
})

interface Choice {
  delta: { tool_calls?: JsonObject[] }
  message: { content?: unknown; tool_calls?: JsonObject[] }
  finish_reason: unknown
}
const choicesOf = (value: unknown) => (value as { choices: Choice[] }).choices
const idsOf = (calls: JsonObject[] | undefined) => (calls ?? []).map(({ id }) => id)

describe('a call that its vendor gives no id', () => {
  // OpenAI accepts at most 40 characters.
  it('has one, in its first piece, and another one than its neighbours', () => {
    expect(`${OWN}_127_255`.length).toBeLessThanOrEqual(40)
    const calls = new CallNormalizer(CALLS)
    const said = [
      chunk([piece('f', { index: 0, id: '' })]),
      chunk([piece(null, { index: 0, id: '' })]),
      chunk([piece('g', { index: 1 })]),
      chunk([piece('h', { index: 2, id: 'theirs' })]),
      chunk([piece('f', { index: 0, id: null })], null, 1),
    ]
    const ids = said.map((one) => choicesOf(calls.normalize(one)).map(({ delta }) => idsOf(delta.tool_calls)))
    expect(ids).toEqual([[[`${OWN}_0_0`]], [['']], [[`${OWN}_0_1`]], [['theirs']], [[`${OWN}_1_0`]]])
  })

  it('keeps it where its vendor thinks of one later', () => {
    const calls = new CallNormalizer(CALLS)
    calls.normalize(chunk([piece('f', { index: 0 })]))
    const [choice] = choicesOf(calls.normalize(chunk([piece(null, { index: 0, id: 'late' })])))
    expect(choice?.delta.tool_calls?.[0]).not.toHaveProperty('id')
  })
})

it('a call without a type is a function in its first piece, and one of another kind stays as it is', () => {
  const calls = new CallNormalizer(CALLS)
  const chunks = [
    chunk([{ index: 0, id: 'a', function: { name: 'f', arguments: '' } }]),
    chunk([{ index: 0, function: { arguments: '{}' } }]),
    chunk([{ index: 1, id: 'b', custom: { name: 'g', input: '' } }]),
  ]
  const types = chunks.map((one) => choicesOf(calls.normalize(one)).map(({ delta }) => delta.tool_calls?.[0]?.type))
  expect(types).toEqual([['function'], [undefined], [undefined]])
})

const whole = (message: object, finish = 'stop', forced = false) => {
  const answer = { choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }] }
  const read = readNonStreamingChat(Buffer.from(JSON.stringify(answer)), { ...RULES, forced })
  return choicesOf(read.toAnswerJson())[0] as Choice
}

it('calls of a whole answer have ids too, and their message says that it has no content', () => {
  const { message } = whole({ tool_calls: [piece('f', { id: '' }), piece('g', { id: 'theirs' }), piece('h')] })
  expect(idsOf(message.tool_calls)).toEqual([`${OWN}_0_0`, 'theirs', `${OWN}_0_2`])
  const [bare] = whole({ tool_calls: [{ id: 'c', function: { name: 'f', arguments: { a: 1 } } }] }).message.tool_calls ?? []
  expect(bare).toEqual({ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } })
  expect(message.content).toBe(null)
  expect(whole({ content: 'Hi' }).message).toEqual({ role: 'assistant', content: 'Hi' })
})

it('choices of a whole answer that have no numbers have ids of their own all the same', () => {
  const choice = { message: { role: 'assistant', tool_calls: [piece('f')] }, finish_reason: 'stop' }
  const read = readNonStreamingChat(Buffer.from(JSON.stringify({ choices: [choice, choice] })), RULES)
  expect(choicesOf(read.toAnswerJson()).map(({ message }) => idsOf(message.tool_calls))).toEqual([[`${OWN}_0_0`], [`${OWN}_1_0`]])
})

it('an id that a call was given here is not counted with what its model has said', () => {
  const textOf = (calls: JsonObject[]) => {
    const answer = { choices: [{ index: 0, message: { role: 'assistant', tool_calls: calls }, finish_reason: 'stop' }] }
    return readNonStreamingChat(Buffer.from(JSON.stringify(answer)), RULES).text()
  }
  expect(textOf([piece('f')])).toBe(JSON.stringify([piece('f')]))
})

describe('an answer that has called ends with that', () => {
  const called = piece('f', { index: 0, id: 'a' })

  it.each<[string, boolean, string]>([
    ['stop', false, 'tool_calls'],
    ['stop', true, 'stop'],
    ['length', false, 'length'],
  ])('streamed and whole: %s, forced %s', (said, forced, told) => {
    const calls = new CallNormalizer({ ...CALLS, forced })
    expect(choicesOf(calls.normalize(chunk([called])))[0]?.finish_reason).toBe(null)
    expect(choicesOf(calls.normalize(chunk(null, said)))[0]?.finish_reason).toBe(told)
    expect(choicesOf(new CallNormalizer({ ...CALLS, forced }).normalize(chunk([called], said)))[0]?.finish_reason).toBe(told)
    expect(whole({ content: null, tool_calls: [called] }, said, forced).finish_reason).toBe(told)
  })

  it('and one that has not does not', () => {
    const calls = new CallNormalizer(CALLS)
    calls.normalize(chunk([called]))
    const other = chunk(null, 'stop', 1)
    expect(calls.normalize(other)).toBe(other)
    expect(whole({ content: 'Hi', tool_calls: [] }).finish_reason).toBe('stop')
  })

  it.each([
    [{ type: 'function', function: { name: 'f' } }, true],
    [{ type: 'custom', custom: { name: 'f' } }, true],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [] } }, false],
    ['required', false],
    [null, false],
  ])('a certain function is asked for by %j: %s', (choice, forced) => {
    expect(isForced(choice)).toBe(forced)
  })
})
