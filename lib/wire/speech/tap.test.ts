import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mediaUsage, NO_USAGE } from '../../domain/usage.ts'
import { eventDataOf, iterateEvents } from '../sse.ts'
import { SpeechTap } from './tap.ts'

const KNOWN = mediaUsage({ character: 7n })
const USED = { ...NO_USAGE, requests: 1n, input: 14n, media: { audio_output: 101n } }
const event = (value: object): Buffer => Buffer.from(`data: ${JSON.stringify(value)}\n\n`)
const delta = (audio: Uint8Array): Buffer => event({ type: 'speech.audio.delta', audio: Buffer.from(audio).toString('base64') })
const DONE = event({ type: 'speech.audio.done', usage: { input_tokens: 14, output_tokens: 101, total_tokens: 115 } })

const tapOf = (wants: 'audio' | 'events', vendorType: string, known: typeof KNOWN | null = null) =>
  new SpeechTap({ wants, format: 'wav', vendorType, known })

/** Feeds bytes in pieces of these sizes, repeatedly, and returns everything that was sent. */
function feed(tap: SpeechTap, bytes: Uint8Array, sizes: number[]): Buffer {
  const out: Uint8Array[] = []
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1
    out.push(tap.push(bytes.subarray(at, at + size)))
    at += size
  }
  return Buffer.concat(out)
}

const soundIn = (events: Buffer): Buffer =>
  Buffer.concat([...iterateEvents(events)].map((raw) => Buffer.from(JSON.parse(eventDataOf(raw) ?? '{}').audio ?? '', 'base64')))

const sound = fc.uint8Array({ minLength: 1, maxLength: 400 })
const sizes = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 })

describe('however it is cut, sound', () => {
  test('comes through whole, its last byte at the end', () => {
    fc.assert(
      fc.property(sound, sizes, (audio, cuts) => {
        const tap = tapOf('audio', 'audio/wav', KNOWN)
        const before = feed(tap, audio, cuts)
        expect(before).toEqual(Buffer.from(audio.subarray(0, -1)))
        expect(tap.end()).toEqual({ complete: true, usage: KNOWN, finishReason: null })
        expect(Buffer.concat([before, tap.tail(KNOWN, 1n)])).toEqual(Buffer.from(audio))
      }),
    )
  })

  test('comes out of events whole', () => {
    fc.assert(
      fc.property(fc.array(sound, { minLength: 1, maxLength: 4 }), sizes, (pieces, cuts) => {
        const tap = tapOf('audio', 'text/event-stream')
        const before = feed(tap, Buffer.concat([...pieces.map(delta), DONE]), cuts)
        expect(tap.end()).toEqual({ complete: true, usage: USED, finishReason: null })
        expect(Buffer.concat([before, tap.tail(USED, 1n)])).toEqual(Buffer.concat(pieces))
      }),
    )
  })

  test('becomes events whole', () => {
    fc.assert(
      fc.property(sound, sizes, (audio, cuts) => {
        const tap = tapOf('events', 'audio/wav', KNOWN)
        expect(soundIn(feed(tap, audio, cuts))).toEqual(Buffer.from(audio))
      }),
    )
  })

  test('and its events pass as they came, but for the last', () => {
    fc.assert(
      fc.property(sound, sizes, (audio, cuts) => {
        const tap = tapOf('events', 'text/event-stream')
        const other = event({ type: 'speech.audio.something', at: 5 })
        expect(feed(tap, Buffer.concat([delta(audio), other, DONE]), cuts)).toEqual(Buffer.concat([delta(audio), other]))
        expect(eventDataOf(Buffer.from(tap.tail(USED, 1_500n)))).toBe(
          '{"type":"speech.audio.done","usage":{"input_tokens":14,"output_tokens":101,"total_tokens":115,"cost":0.0000015}}',
        )
      }),
    )
  })
})

describe('what is no speech', () => {
  test.each(['text/html', 'application/json', 'application/problem+json', 'application/xml'])('%s breaks it at once', (came) => {
    expect(tapOf('audio', came).broken).not.toBeNull()
  })

  test('events that end without the last one are not complete, and neither is silence', () => {
    const cut = tapOf('audio', 'text/event-stream')
    cut.push(delta(Buffer.from('sound')))
    expect(cut.end().complete).toBe(false)
    const silent = tapOf('audio', 'text/event-stream')
    silent.push(DONE)
    expect([silent.end().complete, silent.started]).toEqual([false, false])
    expect(tapOf('audio', 'audio/wav').end().complete).toBe(false)
  })

  test.each(['data: {"error":{"code":"oops"}}\n\n', 'data: {"type":"error","message":"x"}\n\n', 'data: [1]\n\n', 'data: x\n\n'])(
    'the event %j breaks it, and what came before passes',
    (bad) => {
      const tap = tapOf('events', 'text/event-stream')
      const before = delta(Buffer.from('sound'))
      expect(tap.push(Buffer.concat([before, Buffer.from(bad)]))).toEqual(before)
      expect(tap.broken).not.toBeNull()
    },
  )
})

test('a type that is no type of sound is replaced by that of the format', () => {
  expect(tapOf('audio', 'application/octet-stream').type).toBe('audio/wav')
  expect(tapOf('audio', 'audio/x-wav').type).toBe('audio/x-wav')
  expect(tapOf('events', 'audio/wav').type).toBeUndefined()
})
