import { describe, expect, test } from 'vitest'
import { valuesOf } from '../../domain/form.ts'
import { mediaUsage, NO_USAGE } from '../../domain/usage.ts'
import { eventDataOf, iterateEvents } from '../sse.ts'
import { bytesOf, form, head, openTap, prepare, TOKENS } from './testing.ts'

describe('a stream', () => {
  const delta = { type: 'transcript.text.delta', delta: 'Hi' }
  const done = { type: 'transcript.text.done', text: 'Hi', usage: { type: 'tokens', input_tokens: 10, output_tokens: 1 } }
  /** What OpenAI's clients read at the end of a stream, whatever is billed. */
  const noTokens = {
    ...{ type: 'tokens', input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    input_token_details: { text_tokens: 0, audio_tokens: 0 },
  }
  const event = (value: object) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`)
  const read = (bytes: Uint8Array) => [...iterateEvents(Buffer.from(bytes))].map((raw) => JSON.parse(eventDataOf(raw) ?? 'null'))

  test('passes event by event, the last with what it cost', async () => {
    const { work } = await prepare([['stream', 'true']], { rates: TOKENS, capabilities: ['streaming'] })
    const asked = form.ask(work)
    expect('form' in asked && valuesOf(asked.form, 'stream')).toEqual(['true'])
    const tap = openTap(work, { ...head, type: 'text/event-stream' })
    expect(Buffer.from(tap.push(Buffer.concat([event(delta), event(done), event(delta)])))).toEqual(event(delta))
    const { usage, complete } = tap.end()
    expect([complete, usage?.media, tap.text()]).toEqual([true, { audio_input: 10n }, 'Hi'])
    expect(read(tap.tail(usage ?? NO_USAGE, 2n))).toMatchObject([{ ...done, usage: { total_tokens: 11, cost: 2e-9 } }])
    expect(tap.toAnswerJson()).toEqual({ text: 'Hi', duration: 12.3 })
  })

  test('of a model that has none is one delta', async () => {
    const { work } = await prepare([['stream', 'true']])
    const asked = form.ask(work)
    expect('form' in asked && valuesOf(asked.form, 'stream')).toEqual([])
    const tap = openTap(work, head)
    for (const byte of bytesOf({ text: 'Hi there' })) expect(tap.push(Buffer.from([byte])).byteLength).toBe(0)
    expect(tap.end().complete).toBe(true)
    expect(read(tap.tail(mediaUsage({ audio_second: 13n }), 7n))).toEqual([
      { ...delta, delta: 'Hi there' },
      { ...done, text: 'Hi there', usage: { ...noTokens, seconds: 13, cost: 7e-9 } },
    ])
  })

  test("of a server with a chat's chunks has OpenAI's events, and ends with its last half minute", async () => {
    const { work } = await prepare([['stream', 'true']], { capabilities: ['streaming'] })
    const tap = openTap(work, { ...head, type: 'text/event-stream' })
    const chunk = (content: string, finish_reason: string | null) =>
      event({ object: 'transcription.chunk', choices: [{ delta: { content }, finish_reason }] })
    const bytes = Buffer.concat([chunk('Hi', null), chunk('', 'stop'), chunk(' there', null)])
    expect(read(tap.push(bytes))).toEqual([delta, { ...delta, delta: ' there' }])
    expect(tap.end().complete).toBe(false)
    tap.push(
      Buffer.concat([chunk('', 'stop'), event({ object: 'transcription.chunk', choices: [] }), Buffer.from('data: [DONE]\n\n')]),
    )
    expect([tap.end().complete, tap.text()]).toEqual([true, 'Hi there'])
    expect(read(tap.tail(NO_USAGE, 0n))).toMatchObject([{ type: 'transcript.text.done', text: 'Hi there' }])
  })

  test('that stops before its last event is not complete', async () => {
    const { work } = await prepare([['stream', 'true']], { capabilities: ['streaming'] })
    const tap = openTap(work, { ...head, type: 'text/event-stream' })
    tap.push(event(delta))
    expect([tap.end().complete, tap.started, tap.text()]).toEqual([false, true, 'Hi'])
  })
})
