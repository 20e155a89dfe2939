import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { NO_USAGE } from '../../lib/domain/usage.ts'
import { readNonStreamingNative } from '../../lib/wire/responses/native.ts'
import { NativeTap } from '../../lib/wire/responses/native-tap.ts'
import { finishPortsOf, preparedResponse } from '../../lib/wire/testing.ts'
import { expectCompleteStream, type Json, readEvents } from '../support/open-responses.ts'
import { REFERENCE, referenceRequired } from '../support/reference.ts'

const RECORDED = resolve(REFERENCE, 'recorded-vendor-responses')
const recordingsExist = existsSync(RECORDED)
const head = { modelId: 'our/model', requestId: `req_${'0'.repeat(26)}`, at: new Date(1_700_000_000_000), type: '' }

/**
 * Files of events, and how many responses each contains in sequence. The pieces of a response do not add up to its whole if the
 * recording was abridged, calls are told whole, or thoughts are encrypted anew for each event.
 */
const STREAMS: [string, number, 'adds up' | 'abridged'][] = [
  ['openai/responses/openai-custom-tool.1.chunks.txt', 1, 'abridged'],
  ['openai/responses/openai-phase.1.chunks.txt', 1, 'abridged'],
  ['openai/responses/openai-reasoning-encrypted-content.1.chunks.txt', 4, 'abridged'],
  ['open-responses/responses/lmstudio-basic.1.chunks.txt', 1, 'adds up'],
  ['open-responses/responses/lmstudio-tool-call.1.chunks.txt', 1, 'abridged'],
  ['open-responses/responses/lmstudio-tool-call.2.chunks.txt', 1, 'abridged'],
]

/** The streams of a file, each as lines of JSON. */
function readStreams(file: string): string[][] {
  const streams: string[][] = []
  for (const line of readFileSync(resolve(RECORDED, file), 'utf8')
    .split('\n')
    .filter((text) => text !== '')) {
    if (line.includes('"type":"response.created"')) streams.push([])
    streams.at(-1)?.push(line)
  }
  return streams
}

async function pass(bytes: Buffer, pieceBytes: number) {
  const tap = new NativeTap(await preparedResponse({}), head)
  let text = ''
  for (let at = 0; at < bytes.length; at += pieceBytes)
    text += Buffer.from(tap.push(bytes.subarray(at, at + pieceBytes))).toString('latin1')
  const end = tap.end()
  if (!end.complete) return { tap, text: Buffer.from(text, 'latin1').toString(), end }
  await tap.finish(finishPortsOf())
  const fullOutput = Buffer.concat([Buffer.from(text, 'latin1'), tap.tail(end.usage ?? NO_USAGE, 5n)])
  return { tap, text: fullOutput.toString(), end }
}

if (!recordingsExist && !referenceRequired) test.skip('SKIPPED, nothing was replayed: the recorded answers are absent', () => {})
else {
  describe.each(STREAMS)('%s', (file, count, kind) => {
    test('passes with every event, in order and complete, however it is cut', async () => {
      const streams = readStreams(file)
      expect(streams).toHaveLength(count)
      for (const lines of streams) {
        const bytes = Buffer.from(lines.map((line) => `data: ${line}\n\n`).join(''))
        const { text, end } = await pass(bytes, bytes.length)
        expect(end.complete).toBe(true)
        if (kind === 'adds up') expectCompleteStream(text)
        const { events, done } = readEvents(text)
        expect(done).toBe(true)
        expect(events.map((event) => event.sequence_number)).toEqual(events.map((_, index) => index))
        expect(events.map(({ type }) => type)).toEqual(lines.map((line) => (JSON.parse(line) as Json).type))
        const reportedUsage = (JSON.parse(lines.at(-1) ?? '') as { response: { usage: Json } }).response.usage
        expect(end.usage?.output).toBe(BigInt(reportedUsage.output_tokens as number))
        expect(events.at(-1)?.response).toMatchObject({ usage: { input_tokens: reportedUsage.input_tokens, cost: 5e-9 } })
        expect(text).not.toMatch(/"(msg|rs|fc|resp)_(?!0{26})/)
        for (const size of [1, 7, 64, 1000, 4096]) expect((await pass(bytes, size)).text).toBe(text)
      }
    })
  })

  test('a recorded failure breaks off before its first word', async () => {
    const [lines = []] = readStreams('openai/responses/openai-error.1.chunks.txt')
    const { tap, end } = await pass(Buffer.from(lines.map((line) => `data: ${line}\n\n`).join('')), 100)
    expect([end.complete, tap.started, tap.broken?.detail]).toEqual([false, false, 'in-band error insufficient_quota'])
  })

  test.each(['openai/responses/openai-reasoning-encrypted-content.1.json', 'open-responses/responses/lmstudio-basic.1.json'])(
    '%s is read whole',
    async (file) => {
      const bytes = readFileSync(resolve(RECORDED, file))
      const recorded = JSON.parse(bytes.toString()) as { output: Json[]; usage: { output_tokens: number } }
      const nonStreaming = readNonStreamingNative(bytes, await preparedResponse({}), head)
      expect(nonStreaming.usage?.output).toBe(BigInt(recorded.usage.output_tokens))
      const encoded = JSON.parse(nonStreaming.encode(nonStreaming.usage ?? NO_USAGE, 5n).toString()) as { output: Json[] }
      expect(encoded.output.map(({ type }) => type)).toEqual(recorded.output.map(({ type }) => type))
    },
  )
}
