import { describe, expect, test } from 'vitest'
import { decodeTokens } from '../gateway/decode-tokens.ts'
import { JSON_WIRES } from '../vendors/openai-wires.ts'
import { CompletionsChatTap } from './completions/chat-tap.ts'
import { CompletionFold } from './completions/fold.ts'
import { toLegacyLogprobs } from './completions/logprobs.ts'
import { readNonStreamingChats } from './completions/non-streaming.ts'
import { completions } from './completions.ts'
import type { PreparePorts } from './endpoint.ts'
import type { Outgoing } from './vendor-form.ts'

const portsOf = (modality: string) =>
  ({
    model: { modality, contextWindow: 10_000, maxOutput: 500, capabilities: new Set() },
    countTokens: async (text: string) => text.length,
    decodeTokens,
  }) as unknown as PreparePorts

async function preparedFor(modality: string, body: object) {
  const work = await completions.prepare(completions.parse({ model: 'm', prompt: 'Hi', ...body }), portsOf(modality))
  return { work, bound: completions.bound(work, null as never, null as never, 1n, 1n, 100) }
}

const jsonOf = (asked: Outgoing): Record<string, unknown> => ('json' in asked ? asked.json : {})

describe('the hold', () => {
  test.each([
    [{}, 16, 1],
    [{ max_tokens: 0 }, 0, 1],
    [{ n: 3 }, 16, 3],
    [{ n: 2, best_of: 5, max_tokens: 10 }, 10, 5],
    [{ prompt: ['a', 'b', 'c'], n: 2 }, 16, 6],
    [{ prompt: [1, 2, 3], n: 2 }, 16, 2],
    [{ prompt: [[1], [2, 3]], best_of: 4 }, 16, 8],
  ])('of %j is for answers of %d tokens, %d of them, and for what leaves in its own wire', async (body, cap, choices) => {
    const { work, bound } = await preparedFor('completion', body)
    expect(bound).toMatchObject({ cap, choices, usage: { output: BigInt(cap * choices) } })
    const [form] = completions.forms
    const call = { body: jsonOf(form?.ask(work) as Outgoing), cap, choices, deployment: { upstreamModel: 'up' }, stream: false }
    const wire = JSON_WIRES['openai.completions']
    expect(wire?.capOf(wire.outgoing(call as never, {} as never), {} as never)).toBe(cap * choices)
  })

  test.each([
    [{ prompt: 'wörld' }, 6 + 4 + 100],
    [{ prompt: '' }, 4 + 100],
    [{ prompt: 'x', suffix: 'end' }, 1 + 3 + 4 + 100],
    [{ prompt: ['ab', 'c'], n: 2 }, (3 + 8 + 200) * 2],
    [{ prompt: [1, 2, 3] }, 3 + 4 + 100],
    [{ prompt: 'x'.repeat(10_000) }, 10_000 + 100],
  ])('of %j is for %d tokens of input', async (body, tokens) => {
    expect((await preparedFor('completion', body)).bound.usage.input).toBe(BigInt(tokens))
  })

  test('covers what a chat is asked', async () => {
    const { work, bound } = await preparedFor('chat', { prompt: [[9906], [91416, 9906]], suffix: 'the end', n: 2 })
    const asked = (completions.fanOutForms?.[0]?.askAll(work) ?? []).map(jsonOf)
    const bytes = asked.reduce(
      (sum, { messages }) =>
        sum + (messages as { content: string }[]).reduce((all, { content }) => all + Buffer.byteLength(content), 0),
      0,
    )
    expect(asked).toHaveLength(2)
    expect(Number(bound.usage.input)).toBeGreaterThanOrEqual(bytes * 2)
  })
})

describe('what was generated', () => {
  const chunk = (index: number, text: string, finish_reason: string | null = null) => ({
    id: 'i',
    choices: [{ index, text, finish_reason }],
  })

  test('is without the prompt that comes back, also in pieces and in parts', () => {
    const fold = new CompletionFold((index) => (index === 0 ? 'Once upon' : 'Twice'))
    fold.add(chunk(0, 'Once'))
    expect([fold.started, fold.text()]).toEqual([false, ''])
    fold.add(chunk(0, ' upon'))
    expect([fold.started, fold.text()]).toEqual([false, ''])
    fold.add(chunk(0, ' a time', 'stop'))
    fold.add(chunk(1, 'another text'))
    expect([fold.started, fold.finished, fold.text()]).toEqual([true, false, ' a timeanother text'])
    fold.add(chunk(1, '', 'length'))
    expect([fold.finished, fold.finishReason]).toEqual([true, 'stop'])
    expect(fold.toAnswerJson('m')).toMatchObject({
      model: 'm',
      choices: [
        { index: 0, text: 'Once upon a time', finish_reason: 'stop' },
        { index: 1, text: 'another text', finish_reason: 'length' },
      ],
    })
  })

  test('has what was thought aloud, and an estimate of what was too long to keep', () => {
    const fold = new CompletionFold(() => '')
    fold.addReasoning('Hm. ')
    fold.add(chunk(0, 'Yes.'))
    expect(fold.text()).toBe('Hm. Yes.')
    fold.add(chunk(0, 'x'.repeat(1_000_001)))
    expect(fold.text().length).toBeGreaterThan(200_000)
    expect(fold.toAnswerJson('m')).toMatchObject({ truncated: true, choices: [{ text: 'Yes.' }] })
  })

  test('may be anything that JSON can say', () => {
    const fold = new CompletionFold(() => '')
    for (const choices of [null, 5, [null, 'x', [], { text: 5 }, { index: 'x', text: null }]])
      fold.add({ choices: choices as never })
    expect(fold.text()).toBe('')
  })
})

describe('of a chat', () => {
  const head = { modelId: 'm', requestId: 'req_0', at: new Date(0), type: '' }

  test('choices that were not asked for are none', async () => {
    const { work } = await preparedFor('chat', { n: 2, stream: true })
    const tap = new CompletionsChatTap(work, head)
    const choices = [-5, 0.5, 2, 1e9, 1].map((index) => ({ index, delta: { content: `<${index}>` } }))
    const out = Buffer.from(tap.push({ at: 0, bytes: Buffer.from(`data: ${JSON.stringify({ choices })}\n\n`) })).toString()
    expect(out.match(/<[^>]*>/g)).toEqual(['<1>'])
  })

  test('an answer whose choices are no objects is none', async () => {
    const { work } = await preparedFor('chat', {})
    const answer = Buffer.from('{"choices":[5,"x",null]}')
    expect(() => readNonStreamingChats([answer], work, head)).toThrow(expect.objectContaining({ mark: 'stream_broken' }))
  })
})

test('log probabilities are read leniently', () => {
  expect(toLegacyLogprobs(null, 0)).toBeNull()
  expect(toLegacyLogprobs({ content: null }, 0)).toBeNull()
  expect(toLegacyLogprobs({ content: [null, 5, { token: 'a' }, { token: 'b', logprob: -1 }] }, 7)).toEqual({
    tokens: ['b'],
    token_logprobs: [-1],
    top_logprobs: [{ b: -1 }],
    text_offset: [7],
  })
})
