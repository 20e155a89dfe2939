import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_USAGE } from '../../domain/usage.ts'
import type { JsonObject } from '../json.ts'
import { finishPortsOf, preparedResponse } from '../testing.ts'
import { nativeRequest, readNonStreamingNative } from './native.ts'
import { NativeTap } from './native-tap.ts'

const SUFFIX = '0'.repeat(26)
const head = { modelId: 'our/model', requestId: `req_${SUFFIX}`, at: new Date(5000), type: '' }
const OWN = `resp_${SUFFIX}`

const response = (more: JsonObject = {}): JsonObject => ({
  id: 'resp_vendor',
  object: 'response',
  created_at: 1,
  status: 'in_progress',
  model: 'vendor-model-2026',
  output: [],
  store: false,
  temperature: 0.7,
  service_tier: 'default',
  metadata: {},
  ...more,
})
const reasoning = { id: 'rs_v', type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }], encrypted_content: 'secret' }
const said = { type: 'output_text', annotations: [], logprobs: [], text: 'Hi “there”.' }
const message = { id: 'msg_v', type: 'message', status: 'completed', role: 'assistant', content: [said] }
const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4 },
  output_tokens: 5,
  output_tokens_details: { reasoning_tokens: 2 },
  total_tokens: 15,
}
const ENDED = response({ status: 'completed', completed_at: 8, output: [reasoning, message], usage })

// Sequence numbers as a vendor may have them: not from zero, and with a gap.
const EVENTS: JsonObject[] = [
  { type: 'response.created', response: response() },
  { type: 'response.in_progress', response: response() },
  { type: 'response.output_item.added', output_index: 0, item: { ...reasoning, summary: [] } },
  { type: 'response.reasoning_summary_text.delta', item_id: 'rs_v', output_index: 0, summary_index: 0, delta: 'Hm.' },
  { type: 'response.output_item.done', output_index: 0, item: reasoning },
  { type: 'response.output_item.added', output_index: 1, item: { ...message, status: 'in_progress', content: [] } },
  { type: 'response.output_text.delta', item_id: 'msg_v', output_index: 1, content_index: 0, delta: 'Hi “there”.', logprobs: [] },
  { type: 'response.something_new', item_id: 'msg_v', output_index: 1, more: [1] },
  { type: 'response.output_item.done', output_index: 1, item: message },
  { type: 'response.completed', response: ENDED },
].map((event, index) => ({ ...event, sequence_number: index * 2 + 3 }))
const encode = (events: readonly JsonObject[]) =>
  Buffer.from(events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`).join(''))
const BYTES = encode(EVENTS)

const read = (bytes: string): JsonObject[] =>
  [...bytes.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as JsonObject)

async function passThroughTap(pieces: readonly Buffer[], body: object = {}) {
  const tap = new NativeTap(await preparedResponse(body), head)
  const kept: Parameters<typeof finishPortsOf>[0] = []
  const out = pieces.map((piece) => Buffer.from(tap.push(piece)).toString())
  const end = tap.end()
  if (end.complete) {
    await tap.finish(finishPortsOf(kept))
    await tap.store(finishPortsOf(kept))
  }
  const tail = end.complete ? Buffer.from(tap.tail(end.usage ?? NO_USAGE, 1_500n)).toString() : ''
  return { tap, end, tail, text: out.join('') + tail, events: read(out.join('') + tail), kept }
}

const whole = await passThroughTap([BYTES], { metadata: { a: 'b' }, instructions: 'Be brief.' })

describe('a stream that passes', () => {
  it('is numbered anew, from zero and without gaps', () => {
    expect(whole.events.map((event) => event.sequence_number)).toEqual(whole.events.map((_, index) => index))
    expect(whole.events.map((event) => event.type)).toEqual(EVENTS.map((event) => event.type))
    expect(whole.text).toMatch(/\n\ndata: \[DONE\]\n\n$/)
  })

  it('has our ids and our name of the model, and nothing of the vendor’s', () => {
    expect(whole.events.flatMap((event) => event.item_id ?? [])).toEqual([`rs_${SUFFIX}_0`, `msg_${SUFFIX}_1`, `msg_${SUFFIX}_1`])
    for (const event of whole.events) {
      const told = event.response as JsonObject | undefined
      if (told) expect(told).toMatchObject({ id: OWN, model: 'our/model', store: true, metadata: { a: 'b' }, temperature: 0.7 })
    }
    expect(whole.text).not.toMatch(/resp_vendor|vendor-model|msg_v\b/)
    expect(whole.events[7]).toMatchObject({ type: 'response.something_new', more: [1] })
  })

  it('tells what it cost in its last event alone', () => {
    const last = whole.events.at(-1)?.response as JsonObject
    expect(last).toMatchObject({ status: 'completed', instructions: 'Be brief.', completed_at: 8 })
    expect(last.usage).toEqual({
      ...usage,
      input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 },
      cost: 0.0000015,
    })
    expect(whole.end).toEqual({
      complete: true,
      finishReason: 'stop',
      usage: { ...NO_USAGE, input: 6n, cachedInput: 4n, output: 5n, reasoning: 2n, requests: 1n },
    })
  })

  it('can be ended more than once: a repeat gets the same bytes', () => {
    expect(Buffer.from(whole.tap.tail(whole.end.usage ?? NO_USAGE, 1_500n)).toString()).toBe(whole.tail)
  })

  it('is stored as it was told, but for its cost', () => {
    const [stored] = whole.kept
    const last = whole.events.at(-1) as { response: JsonObject }
    const { usage: told, ...rest } = last.response
    const { cost: _, ...counted } = told as JsonObject
    expect(stored).toMatchObject({ id: OWN, accountId: 'acc_1', previousId: null, response: { ...rest, usage: counted } })
    expect(stored?.input).toEqual([{ role: 'user', content: 'Hello.' }])
  })

  it('is the same, however its bytes are cut', async () => {
    for (let at = 1; at < BYTES.length; at++) {
      const cut = await passThroughTap([BYTES.subarray(0, at), BYTES.subarray(at)], {
        metadata: { a: 'b' },
        instructions: 'Be brief.',
      })
      if (cut.text !== whole.text) expect(cut.text).toBe(whole.text)
    }
    const cuts = fc.array(fc.nat(BYTES.length), { maxLength: 40 })
    await fc.assert(
      fc.asyncProperty(cuts, async (places) => {
        const edges = [0, ...places.sort((a, b) => a - b), BYTES.length]
        const pieces = edges.slice(1).map((end, index) => BYTES.subarray(edges[index], end))
        expect((await passThroughTap(pieces, { metadata: { a: 'b' }, instructions: 'Be brief.' })).text).toBe(whole.text)
      }),
      { numRuns: 50 },
    )
  })

  it('has in its texts all that strict clients look for, and nothing of who pays the vendor', async () => {
    const bare = { type: 'output_text', text: 'Hi.' }
    const item = { ...message, content: [bare] }
    const place = { item_id: 'msg_v', output_index: 0, content_index: 0 }
    const { events, tail } = await passThroughTap([
      encode([
        { type: 'response.created', response: response({ billing: { payer: 'developer' } }) },
        { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
        { type: 'response.content_part.added', ...place, part: { ...bare, text: '' } },
        { type: 'response.output_text.delta', ...place, delta: 'Hi.' },
        { type: 'response.output_text.done', ...place, text: 'Hi.' },
        { type: 'response.content_part.done', ...place, part: bare },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: { ...ENDED, output: [item], billing: { payer: 'developer' } } },
      ]),
    ])
    const filled = { annotations: [], logprobs: [] }
    expect(events.slice(2, 6)).toMatchObject([{ part: filled }, { logprobs: [] }, { logprobs: [] }, { part: filled }])
    expect(events[6]).toMatchObject({ item: { content: [{ ...bare, ...filled }] } })
    expect(read(tail)).toMatchObject([{ response: { output: [{ content: [{ ...bare, ...filled }] }] } }])
    expect(JSON.stringify(events)).not.toContain('billing')
  })

  it('ends with what was streamed if its vendor does not repeat that', async () => {
    const bare = encode([...EVENTS.slice(0, -1), { type: 'response.completed', response: { ...ENDED, output: [] } }])
    const [all, shortened] = await Promise.all([passThroughTap([BYTES]), passThroughTap([bare])])
    expect(shortened).toEqual(all)
  })

  it('is the same response as the whole answer', async () => {
    const answer = readNonStreamingNative(
      Buffer.from(JSON.stringify(ENDED)),
      await preparedResponse({ metadata: { a: 'b' }, instructions: 'Be brief.' }),
      head,
    )
    await answer.finish?.(finishPortsOf())
    expect(JSON.parse(answer.encode(answer.usage ?? NO_USAGE, 1_500n).toString())).toEqual(whole.events.at(-1)?.response)
    expect(answer.finishReason).toBe('stop')
  })
})

describe('a stream that breaks', () => {
  const cases: [string, JsonObject[]][] = [
    ['an error', [{ type: 'error', code: 'oom', message: 'engine eu-7' }]],
    ['an error inside', [{ type: 'error', error: { code: 'oom', message: 'engine eu-7' } }]],
    [
      'a response that failed',
      [{ type: 'response.failed', response: response({ status: 'failed', error: { code: 'oom', message: 'engine eu-7' } }) }],
    ],
    ['an event without a type', [{ output_index: 0 }]],
    ['a type of several lines', [{ type: 'x\ndata: {"engine":"eu-7"}\n\n', delta: 'x' }]],
  ]
  it.each(cases)('at %s', async (_name, events) => {
    const { tap, text, end } = await passThroughTap([encode([...EVENTS.slice(0, 7), ...events])])
    expect(tap.broken?.message).toMatch(/^The model/)
    expect(end.complete).toBe(false)
    expect(tap.started).toBe(true)
    const ended = Buffer.from(
      tap.fail({ message: 'It broke.', type: 'server_error', code: 'server_error', param: null }),
    ).toString()
    expect(text + ended).not.toContain('eu-7')
    const [error, failed] = read(ended)
    expect(error).toMatchObject({ type: 'error', sequence_number: 7, code: 'server_error', error: { message: 'It broke.' } })
    expect(failed).toMatchObject({ type: 'response.failed', sequence_number: 8, response: { id: OWN, status: 'failed' } })
    expect(ended).not.toContain('[DONE]')
    expect(tap.text()).toContain('Hi “there”.')
  })

  it.each([
    ['server_error', 'server_error'],
    ['rate_limit_exceeded', 'rate_limit_exceeded'],
    ['service_unavailable', 'server_error'],
  ])('with %s, as a response that has %s', async (code, told) => {
    const { tap } = await passThroughTap([encode(EVENTS.slice(0, 7))])
    const [error, failed] = read(
      Buffer.from(tap.fail({ message: 'It broke.', type: 'server_error', code, param: null })).toString(),
    )
    expect(error).toMatchObject({ code })
    expect(failed).toMatchObject({ response: { error: { code: told, message: 'It broke.' } } })
  })

  it.each([
    [usage, { input: 6n, cachedInput: 4n, output: 5n, reasoning: 2n }],
    [null, null],
    [{ input_tokens: 0, output_tokens: 0 }, null],
  ])('with a usage of %o counts as much as its vendor', async (counted, expected) => {
    const failed = { type: 'response.failed', response: response({ status: 'failed', usage: counted }) }
    const { end } = await passThroughTap([encode([...EVENTS.slice(0, 7), failed])])
    expect(end.complete).toBe(false)
    if (expected) expect(end.usage).toMatchObject(expected)
    else expect(end.usage).toBeNull()
  })

  it('has not started before something was generated', async () => {
    const { tap } = await passThroughTap([encode(EVENTS.slice(0, 3))])
    expect([tap.started, tap.done, tap.end().complete]).toEqual([false, false, false])
  })

  it('says nothing of a vendor that is done and tells an error', async () => {
    const told = { ...ENDED, error: { message: 'engine eu-7' }, completed_at: 'soon' }
    const answer = readNonStreamingNative(Buffer.from(JSON.stringify(told)), await preparedResponse({}), head)
    expect(answer.toAnswerJson()).toMatchObject({ error: null, completed_at: null })
  })

  it('does not say what the vendor calls its model', async () => {
    const { text } = await passThroughTap([
      encode([...EVENTS.slice(0, 7).map((event) => ({ ...event, model: 'eu-7' })), ...EVENTS.slice(7)]),
    ])
    expect(text).not.toContain('eu-7')
  })

  it.each(['failed', 'queued', 'cancelled'])('where a whole answer is %s', async (status) => {
    const prepared = await preparedResponse({})
    expect(() => readNonStreamingNative(Buffer.from(JSON.stringify(response({ status }))), prepared, head)).toThrow(/failed/)
    expect(() => readNonStreamingNative(Buffer.from('<html>'), prepared, head)).toThrow(/could not be read/)
  })
})

it('goes out again with the thoughts as the vendor gave them, and those of no other vendor', async () => {
  const last = whole.events.at(-1)?.response as { output: JsonObject[] }
  const foreign = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'chat.e30' }
  const bare = { type: 'reasoning', id: 'rs_2', summary: [] }
  const theirs = { type: 'reasoning', id: 'rs_3', summary: [], encrypted_content: 'from elsewhere' }
  const prepared = await preparedResponse({ input: [...last.output, foreign, bare, theirs, { role: 'user', content: 'And?' }] })
  expect(nativeRequest(prepared).input).toEqual([
    reasoning,
    { ...message, id: `msg_${SUFFIX}_1` },
    theirs,
    { type: 'message', role: 'user', content: 'And?' },
  ])
})
