import { describe, expect, test } from 'vitest'
import type { CatalogModel } from '../domain/catalog.ts'
import { asRefusal } from '../domain/errors.ts'
import { type Form, type FormPart, type Upload, valuesOf } from '../domain/form.ts'
import type { ModelPrice, Rates } from '../domain/price.ts'
import { mediaUsage, NO_USAGE } from '../domain/usage.ts'
import type { FinishPorts } from './answer.ts'
import type { PreparePorts } from './endpoint.ts'
import { dataOf, eventsIn } from './sse.ts'
import { noShelf } from './testing.ts'
import { transcriptions } from './transcription.ts'

const file: Upload = {
  filename: 'blob',
  type: 'audio/webm',
  bytes: 5,
  sha256: 'ab'.repeat(32),
  path: null,
  async *read() {
    yield Buffer.from('sound')
  },
}
const SECONDS: Rates = { audio_second: 100_000_000_000n }
const TOKENS: Rates = { input: 2_500_000_000n, audio_input: 6_000_000_000n, output: 10_000_000_000n }

const formOf = (texts: [string, string][]): Form => ({
  parts: [{ name: 'file', file }, { name: 'model', value: 'm' }, ...texts.map(([name, value]): FormPart => ({ name, value }))],
})

interface Given {
  rates?: Rates
  seconds?: number | null
  formats?: string[]
  capabilities?: string[]
}

async function prepare(texts: [string, string][], { rates = SECONDS, seconds = 12.3, formats, capabilities = [] }: Given = {}) {
  const price: ModelPrice = { id: 'p', from: new Date(0), rates, vendorRates: rates }
  const model = { id: 'm', facts: formats ? { formats } : {}, capabilities: new Set(capabilities) } as unknown as CatalogModel
  const ports: PreparePorts = {
    model,
    price,
    accountId: 'a',
    keepHistory: true,
    responses: noShelf,
    bodyBytes: 40,
    countTokens: async (text) => text.split(/\s+/).filter(Boolean).length,
    decodeTokens: async () => null,
    audioSeconds: async () => seconds,
  }
  return { work: await transcriptions.prepare(transcriptions.parse(formOf(texts)), ports), ports }
}

const [form] = transcriptions.forms
if (!form?.tap) throw new Error('it has a form with a tap')
const { tap: openTap } = form
const head = { modelId: 'm', requestId: 'r', at: new Date(0), type: 'application/json' }
const bytesOf = (value: object) => Buffer.from(JSON.stringify(value))

/** The field that is at fault. */
const fault = async (texts: [string, string][], given: Given = {}): Promise<string | null | undefined> => {
  try {
    await prepare(texts, given)
    return undefined
  } catch (error) {
    return asRefusal(error)?.param
  }
}

describe('a form', () => {
  test.each<[string, [string, string][], string]>([
    ['a temperature in words', [['temperature', 'hot']], 'temperature'],
    ['a temperature of 1.1', [['temperature', '1.1']], 'temperature'],
    ['a negative temperature', [['temperature', '-0.1']], 'temperature'],
    ['an empty temperature', [['temperature', '']], 'temperature'],
    ['a stream of yes', [['stream', 'yes']], 'stream'],
    ['a format that is none', [['response_format', 'docx']], 'response_format'],
    [
      'times of sentences',
      [
        ['response_format', 'verbose_json'],
        ['timestamp_granularities[]', 'sentence'],
      ],
      'timestamp_granularities[0]',
    ],
    ['times without their format', [['timestamp_granularities[]', 'word']], 'timestamp_granularities'],
    [
      'a stream of subtitles',
      [
        ['stream', 'true'],
        ['response_format', 'srt'],
      ],
      'response_format',
    ],
    ['two models', [['model', 'n']], 'model'],
    [
      'two languages',
      [
        ['language', 'en'],
        ['language', 'de'],
      ],
      'language',
    ],
    ['something to include that is not known', [['include[]', 'secrets']], 'include[0]'],
  ])('with %s is refused', async (_, texts, param) => {
    expect(await fault(texts)).toBe(param)
  })

  test('without sound is refused', async () => {
    expect(await fault([], { seconds: null })).toBe('file')
    expect(await fault([], { seconds: 0 })).toBe('file')
    expect(() => transcriptions.parse({ parts: [{ name: 'model', value: 'm' }] })).toThrow('There is no "file"')
  })

  test('is passed on with what is not known, in the gateway’s own format and with a name that says what it is', async () => {
    const texts: [string, string][] = [
      ['response_format', 'srt'],
      ['stream', 'false'],
      ['future', 'yes'],
      ['prompt', 'Names'],
    ]
    const { work } = await prepare(texts)
    const asked = form.ask(work)
    const parts = 'form' in asked ? asked.form.parts : []
    expect(parts.map((part) => ('value' in part ? [part.name, part.value] : [part.name, part.file.filename]))).toEqual([
      ['response_format', 'verbose_json'],
      ['file', 'blob.webm'],
      ['model', 'm'],
      ['future', 'yes'],
      ['prompt', 'Names'],
    ])
  })
})

describe('a format is given whatever the model answers in, or refused', () => {
  test.each([
    ['json', ['json'], 'json'],
    ['text', ['json'], 'json'],
    ['text', ['verbose_json'], 'verbose_json'],
    ['vtt', ['json', 'verbose_json'], 'verbose_json'],
    ['srt', undefined, 'verbose_json'],
    ['diarized_json', ['json', 'diarized_json'], 'diarized_json'],
    ['srt', ['json'], null],
    ['verbose_json', ['json', 'text'], null],
    ['diarized_json', ['json', 'verbose_json'], null],
  ])('%s of a model that has %j', async (format, formats, asked) => {
    const given = formats ? { formats } : {}
    if (asked === null) expect(await fault([['response_format', format]], given)).toBe('response_format')
    else expect((await prepare([['response_format', format]], given)).work.asked).toBe(asked)
  })

  const ANSWER = {
    text: 'Hello there.',
    duration: 11,
    language: 'english',
    segments: [
      { id: 0, start: 0, end: 1, text: ' Hello' },
      { id: 1, start: 1, end: 2.5, text: ' there.' },
    ],
  }
  test.each([
    ['text', 'text/plain; charset=utf-8', 'Hello there.\n'],
    [
      'srt',
      'text/plain; charset=utf-8',
      '1\n00:00:00,000 --> 00:00:01,000\nHello\n\n2\n00:00:01,000 --> 00:00:02,500\nthere.\n\n',
    ],
    [
      'vtt',
      'text/vtt; charset=utf-8',
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.000\nHello\n\n00:00:01.000 --> 00:00:02.500\nthere.\n\n',
    ],
  ])('%s is written here', async (format, type, written) => {
    const { work } = await prepare([['response_format', format]])
    const answer = form.whole(bytesOf(ANSWER), work, head)
    expect([answer.type, answer.encode(NO_USAGE, 5n).toString()]).toEqual([type, written])
  })

  test('without what the vendor calls its model', async () => {
    const { work } = await prepare([])
    const answer = form.whole(bytesOf({ text: 'All of it.', model: 'up' }), work, head)
    expect(answer.encode(work.known ?? work.most, 1n).toString()).not.toContain('"up"')
    expect(JSON.stringify(answer.folded())).not.toContain('"up"')
  })

  test('subtitles of what has no segments are one cue of the measured length', async () => {
    const { work } = await prepare([['response_format', 'srt']])
    const answer = form.whole(bytesOf({ text: 'All of it.', segments: [] }), work, head)
    expect(answer.encode(NO_USAGE, 5n).toString()).toBe('1\n00:00:00,000 --> 00:00:12,300\nAll of it.\n\n')
  })

  test('JSON keeps all that came, and says what was billed', async () => {
    const { work } = await prepare([['response_format', 'verbose_json']])
    const answer = form.whole(bytesOf({ ...ANSWER, usage: { type: 'duration', seconds: 11 } }), work, head)
    expect(answer.usage).toEqual(mediaUsage({ audio_second: 13n }))
    expect(JSON.parse(answer.encode(mediaUsage({ audio_second: 13n }), 1_300_000n).toString())).toEqual({
      ...ANSWER,
      usage: { type: 'duration', seconds: 13, cost: 0.0013 },
    })
  })

  test.each(['{', '[]', 'null', '{"text":5}', '"text"'])('%s is no answer', async (bad) => {
    const { work } = await prepare([])
    expect(() => form.whole(Buffer.from(bad), work, head)).toThrow('could not be read')
    const tap = openTap(work, head)
    tap.push(Buffer.from(bad))
    expect(tap.end().complete).toBe(false)
  })
})

describe('what is billed', () => {
  test.each([
    [0.2, 1n],
    [3, 3n],
    [3.0004, 3n],
    [3.02, 4n],
    [59.99, 60n],
  ])('%d seconds are %d', async (seconds, billed) => {
    const { work, ports } = await prepare([], { seconds })
    expect(transcriptions.bound(work, ports, ports.price, 10_000n, 0n, 0).usage).toEqual(mediaUsage({ audio_second: billed }))
  })

  test('a vendor that hears more is told to the operator', async () => {
    const said: object[] = []
    const ports = { warn: (fields: object) => said.push(fields) } as unknown as FinishPorts
    const { work } = await prepare([])
    for (const duration of [12.3, 13.5, 14.5]) await form.whole(bytesOf({ text: '', duration }), work, head).finish?.(ports)
    expect(said).toEqual([{ seconds: 12.3, told: 14.5 }])
  })

  test('tokens are the vendor’s, and text is told from sound', async () => {
    const { work } = await prepare([], { rates: TOKENS })
    const usage = {
      type: 'tokens',
      input_tokens: 130,
      input_token_details: { text_tokens: 7, audio_tokens: 123 },
      output_tokens: 9,
    }
    const answer = form.whole(bytesOf({ text: 'x', usage }), work, head)
    expect(answer.usage).toEqual({ ...NO_USAGE, input: 7n, output: 9n, requests: 1n, media: { audio_input: 123n } })
    expect(JSON.parse(answer.encode(answer.usage ?? NO_USAGE, 1n).toString()).usage).toEqual({
      ...usage,
      total_tokens: 139,
      cost: 0.000000001,
    })
  })

  test.each([[undefined], [null], [{ type: 'duration', seconds: 12 }], [{ input_tokens: -1, output_tokens: 1 }]])(
    'without tokens (%j) they are estimated, within the bound',
    async (usage) => {
      const { work, ports } = await prepare([['prompt', 'two words']], { rates: TOKENS })
      expect(form.whole(bytesOf({ text: 'a b c', usage }), work, head).usage).toBeNull()
      const estimate = await transcriptions.estimate?.(work, ports.countTokens, () => 'a b c')
      const media = { audio_input: 123n }
      expect(estimate).toEqual({ usage: { ...NO_USAGE, input: 2n, output: 3n, requests: 1n, media }, exact: false })
      const { usage: most } = transcriptions.bound(work, ports, ports.price, 10_000n, 0n, 64)
      expect([most.input, most.output, most.media]).toEqual([104n, 808n, { audio_input: 808n }])
    },
  )
})

describe('a stream', () => {
  const delta = { type: 'transcript.text.delta', delta: 'Hi' }
  const done = { type: 'transcript.text.done', text: 'Hi', usage: { type: 'tokens', input_tokens: 10, output_tokens: 1 } }
  const event = (value: object) => Buffer.from(`data: ${JSON.stringify(value)}\n\n`)
  const read = (bytes: Uint8Array) => [...eventsIn(Buffer.from(bytes))].map((raw) => JSON.parse(dataOf(raw) ?? 'null'))

  test('passes event by event, the last with what it cost', async () => {
    const { work } = await prepare([['stream', 'true']], { rates: TOKENS, capabilities: ['streaming'] })
    const asked = form.ask(work)
    expect('form' in asked && valuesOf(asked.form, 'stream')).toEqual(['true'])
    const tap = openTap(work, { ...head, type: 'text/event-stream' })
    expect(Buffer.from(tap.push(Buffer.concat([event(delta), event(done), event(delta)])))).toEqual(event(delta))
    const { usage, complete } = tap.end()
    expect([complete, usage?.media, tap.text()]).toEqual([true, { audio_input: 10n }, 'Hi'])
    expect(read(tap.tail(usage ?? NO_USAGE, 2n))).toMatchObject([{ ...done, usage: { total_tokens: 11, cost: 2e-9 } }])
    expect(tap.folded()).toEqual({ text: 'Hi', duration: 12.3 })
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
      { ...done, text: 'Hi there', usage: { type: 'duration', seconds: 13, cost: 7e-9 } },
    ])
  })

  test('that stops before its last event is not complete', async () => {
    const { work } = await prepare([['stream', 'true']], { capabilities: ['streaming'] })
    const tap = openTap(work, { ...head, type: 'text/event-stream' })
    tap.push(event(delta))
    expect([tap.end().complete, tap.started, tap.text()]).toEqual([false, true, 'Hi'])
  })
})

test('history keeps the file’s name, type, size and digest', () => {
  expect(transcriptions.redact(transcriptions.parse(formOf([['temperature', '0.5']])))).toEqual({
    model: 'm',
    temperature: 0.5,
    file: `blob [audio/webm, 5 bytes, sha256 ${'ab'.repeat(16)}]`,
  })
})
