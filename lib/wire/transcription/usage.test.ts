import fc from 'fast-check'
import { expect, it } from 'vitest'
import { maxTranscriptionUsage, readTranscriptionUsage } from './usage.ts'

const most = maxTranscriptionUsage(2, 1000)

it('is within its bound in each unit, told apart or not, where the sum of its input is', () => {
  const sound = Number(most.media?.audio_input)
  fc.assert(
    fc.property(fc.nat(sound), fc.nat(1000), fc.boolean(), (audio, text, apart) => {
      const details = { input_token_details: { text_tokens: text, audio_tokens: audio } }
      const usage = readTranscriptionUsage({ input_tokens: audio + text, output_tokens: 1, ...(apart ? details : {}) }, most)
      expect((usage?.input ?? -1n) + (usage?.media?.audio_input ?? 0n)).toBe(BigInt(audio + text))
      expect(usage?.media?.audio_input).toBeLessThanOrEqual(most.media?.audio_input ?? 0n)
      expect(usage?.input).toBeLessThanOrEqual(most.input)
      if (apart) expect(usage).toMatchObject({ input: BigInt(text), media: { audio_input: BigInt(audio) } })
    }),
  )
})

it('never counts more text than there was input', () => {
  const raw = { input_tokens: 5, output_tokens: 0, input_token_details: { text_tokens: 9 } }
  expect(readTranscriptionUsage(raw, most)).toMatchObject({ input: 5n, media: { audio_input: 0n } })
})
