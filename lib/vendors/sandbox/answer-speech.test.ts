import { describe, expect, test } from 'vitest'
import { audioSeconds } from '../../host/audio-length.ts'
import { createSandbox } from '../sandbox.ts'
import type { WireAnswer } from '../vendor.ts'
import { SPEECH_RATE, synthesizeSpeech } from './synthesize-speech.ts'
import { callOf } from './testing.ts'

const TEXT = 'Hello there, this is the sandbox. How do you do? 你好，世界。'

async function speak(body: object, signal = new AbortController().signal): Promise<WireAnswer> {
  const speech = createSandbox({ pace: 0 }).forward['openai.speech']
  if (!speech) throw new Error('the sandbox speaks')
  return await speech(callOf({ input: TEXT, voice: 'alloy', ...body }, { model: 'sandbox/speech', stream: true, signal }))
}

async function bytesOf(answer: WireAnswer): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of answer.body) pieces.push(piece)
  return Buffer.concat(pieces)
}

const SECONDS = (await synthesizeSpeech({ text: TEXT, voice: 'alloy' })).samples.length / SPEECH_RATE

describe('the sandbox speaks', () => {
  test.each([
    [{}, 'audio/mpeg', 0.15],
    [{ response_format: 'mp3' }, 'audio/mpeg', 0.15],
    [{ response_format: 'wav' }, 'audio/wav', 0.001],
    [{ response_format: 'wav', speed: 2 }, 'audio/wav', SECONDS / 2 + 0.001],
  ])('%j as %s', async (body, type, slack) => {
    const answer = await speak(body)
    expect(answer.headers['content-type']).toBe(type)
    const seconds = (await audioSeconds(await bytesOf(answer))) ?? 0
    expect(Math.abs(seconds - SECONDS)).toBeLessThanOrEqual(slack)
  })

  test('PCM, which is the sound of the WAV', async () => {
    const [wav, pcm] = await Promise.all(['wav', 'pcm'].map(async (response_format) => bytesOf(await speak({ response_format }))))
    expect(wav?.subarray(44)).toEqual(pcm)
  })

  test('in events, with what it used', async () => {
    const text = (await bytesOf(await speak({ stream_format: 'sse', response_format: 'wav' }))).toString()
    const lines = text.split('\n\n').filter(Boolean)
    const events = lines.map((line) => JSON.parse(line.slice(6)))
    const sound = Buffer.concat(events.map(({ audio = '' }) => Buffer.from(audio, 'base64')))
    expect(sound).toEqual(await bytesOf(await speak({ response_format: 'wav' })))
    expect(events.at(-1)).toMatchObject({ type: 'speech.audio.done', usage: { output_tokens: Math.ceil(SECONDS * 21) } })
  })

  test('in no other format', async () => {
    const answer = await speak({ response_format: 'opus' })
    expect([answer.status, JSON.parse((await bytesOf(answer)).toString()).error.param]).toEqual([400, 'response_format'])
  })

  test('until the call is aborted', async () => {
    const left = new AbortController()
    const answer = await speak({ response_format: 'wav' }, left.signal)
    left.abort()
    await expect(bytesOf(answer)).rejects.toMatchObject({ mark: 'vendor_failure', kind: 'cut' })
  })
})
