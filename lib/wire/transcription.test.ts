import { describe, expect, test } from 'vitest'
import { asRefusal } from '../domain/errors.ts'
import { mediaUsage, NO_USAGE } from '../domain/usage.ts'
import { bytesOf, form, formOf, head, openTap, type PrepareOverrides, prepare } from './transcription/testing.ts'
import { transcriptions } from './transcription.ts'

/** The name of the invalid field. */
const refusedParam = async (texts: [string, string][], given: PrepareOverrides = {}): Promise<string | null | undefined> => {
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
    expect(await refusedParam(texts)).toBe(param)
  })

  test('without sound is refused', async () => {
    expect(await refusedParam([], { seconds: null })).toBe('file')
    expect(await refusedParam([], { seconds: 0 })).toBe('file')
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
    if (asked === null) expect(await refusedParam([['response_format', format]], given)).toBe('response_format')
    else expect((await prepare([['response_format', format]], given)).work.vendorFormat).toBe(asked)
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
    const answer = form.readNonStreaming(bytesOf(ANSWER), work, head)
    expect([answer.type, answer.encode(NO_USAGE, 5n).toString()]).toEqual([type, written])
  })

  test('without what the vendor calls its model', async () => {
    const { work } = await prepare([])
    const answer = form.readNonStreaming(bytesOf({ text: 'All of it.', model: 'up' }), work, head)
    expect(answer.encode(work.known ?? work.maxUsage, 1n).toString()).not.toContain('"up"')
    expect(JSON.stringify(answer.toAnswerJson())).not.toContain('"up"')
  })

  test('subtitles of what has no segments are one cue of the measured length', async () => {
    const { work } = await prepare([['response_format', 'srt']])
    const answer = form.readNonStreaming(bytesOf({ text: 'All of it.', segments: [] }), work, head)
    expect(answer.encode(NO_USAGE, 5n).toString()).toBe('1\n00:00:00,000 --> 00:00:12,300\nAll of it.\n\n')
  })

  const SEGMENT_FIELDS = { seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 }
  const USAGE = mediaUsage({ audio_second: 13n })

  test('JSON keeps all that came, and says what was billed', async () => {
    const { work } = await prepare([['response_format', 'verbose_json']])
    const segments = ANSWER.segments.map((segment) => ({
      ...segment,
      ...SEGMENT_FIELDS,
      seek: 7,
      tokens: [1],
      avg_logprob: -0.5,
    }))
    const verbose = { ...ANSWER, segments }
    const answer = form.readNonStreaming(bytesOf({ ...verbose, usage: { type: 'duration', seconds: 11 } }), work, head)
    expect(answer.usage).toEqual(USAGE)
    expect(JSON.parse(answer.encode(USAGE, 1_300_000n).toString())).toEqual({
      ...verbose,
      usage: { type: 'duration', seconds: 13, cost: 0.0013 },
    })
  })

  test.each([
    [[], 'unknown'],
    [[['language', 'de']], 'de'],
  ] as [[string, string][], string][])('JSON with times has every field that OpenAI’s has (%j)', async (fields, language) => {
    const { work } = await prepare([['response_format', 'verbose_json'], ...fields])
    const segments = [{ start: 0, end: 1, text: ' Hello', tokens: null }]
    const answer = form.readNonStreaming(bytesOf({ text: 'Hello', segments, language: '' }), work, head)
    expect(JSON.parse(answer.encode(USAGE, 0n).toString())).toMatchObject({
      language,
      duration: 12.3,
      segments: [{ id: 0, start: 0, end: 1, text: ' Hello', ...SEGMENT_FIELDS }],
    })
  })

  test.each(['{', '[]', 'null', '{"text":5}', '"text"'])('%s is no answer', async (bad) => {
    const { work } = await prepare([])
    expect(() => form.readNonStreaming(Buffer.from(bad), work, head)).toThrow('could not be read')
    const tap = openTap(work, head)
    tap.push(Buffer.from(bad))
    expect(tap.end().complete).toBe(false)
  })
})

test('history keeps the file’s name, type, size and digest', () => {
  expect(transcriptions.redact(transcriptions.parse(formOf([['temperature', '0.5']])))).toEqual({
    model: 'm',
    temperature: 0.5,
    file: `blob [audio/webm, 5 bytes, sha256 ${'ab'.repeat(16)}]`,
  })
})

test('history keeps no sounds that come as texts: their type, size and digest', () => {
  const sound = `data:audio/wav;base64,${Buffer.alloc(3000).toString('base64')}`
  const texts: [string, string][] = ['Ann', 'Bo'].flatMap((name): [string, string][] => [
    ['known_speaker_names[]', name],
    ['known_speaker_references[]', sound],
  ])
  const note = expect.stringMatching(/^\[audio\/wav, 3000 bytes, sha256 [0-9a-f]{32}\]$/)
  expect(transcriptions.redact(transcriptions.parse(formOf(texts)))).toMatchObject({
    known_speaker_names: ['Ann', 'Bo'],
    known_speaker_references: [note, note],
  })
})
