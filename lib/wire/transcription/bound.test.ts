import { describe, expect, test } from 'vitest'
import { mediaUsage, NO_USAGE } from '../../domain/usage.ts'
import type { FinishPorts } from '../answer.ts'
import { transcriptions } from '../transcription.ts'
import { bytesOf, form, head, prepare, TOKENS } from './testing.ts'

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
    for (const duration of [12.3, 13.5, 14.5])
      await form.readNonStreaming(bytesOf({ text: '', duration }), work, head).finish?.(ports)
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
    const answer = form.readNonStreaming(bytesOf({ text: 'x', usage }), work, head)
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
      expect(form.readNonStreaming(bytesOf({ text: 'a b c', usage }), work, head).usage).toBeNull()
      const estimate = await transcriptions.estimate?.(work, ports.countTokens, () => 'a b c')
      const media = { audio_input: 123n }
      expect(estimate).toEqual({ usage: { ...NO_USAGE, input: 2n, output: 3n, requests: 1n, media }, exact: false })
      const { usage: most } = transcriptions.bound(work, ports, ports.price, 10_000n, 0n, 64)
      expect([most.input, most.output, most.media]).toEqual([104n, 808n, { audio_input: 808n }])
    },
  )
})
