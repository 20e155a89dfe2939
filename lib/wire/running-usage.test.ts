import { expect, test } from 'vitest'
import { NO_USAGE } from '../domain/usage.ts'
import { RunningUsage } from './running-usage.ts'

const used = (input: bigint, output: bigint) => ({ ...NO_USAGE, input, output, requests: 1n })

test.each([
  ['the last one counts', [used(10n, 3n), used(10n, 5n)], used(10n, 5n)],
  ['input first, output last', [used(10n, 0n), used(0n, 5n)], used(10n, 5n)],
  ['output first, input last', [used(0n, 5n), used(10n, 0n)], used(10n, 5n)],
  [
    'cached input and sound come with the input',
    [{ ...used(10n, 0n), cachedInput: 4n, cacheWrite: 2n, media: { audio_input: 3n } }, used(0n, 5n)],
    { ...used(10n, 5n), cachedInput: 4n, cacheWrite: 2n, media: { audio_input: 3n } },
  ],
  [
    'images that were made come with the output',
    [
      { ...used(10n, 0n), media: { audio_input: 3n } },
      { ...used(0n, 5n), media: { image_output: 9n } },
    ],
    { ...used(10n, 5n), media: { audio_input: 3n, image_output: 9n } },
  ],
  [
    'and stay if only the input follows',
    [
      { ...used(0n, 0n), reasoning: 0n, media: { image_output: 9n } },
      { ...used(10n, 0n), media: { audio_input: 3n } },
    ],
    { ...used(10n, 0n), media: { audio_input: 3n, image_output: 9n } },
  ],
  ['a count that falls is a correction', [used(10n, 9n), used(8n, 5n)], used(8n, 5n)],
] as const)('%s', (_, reports, total) => {
  const running = new RunningUsage()
  for (const report of reports) running.record(report, 0)
  running.record(null, 7)
  expect(running.usage).toEqual(total)
  expect(running.charsSince(9)).toBe(9)
})
