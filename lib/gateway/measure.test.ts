import { describe, expect, it } from 'vitest'
import { NO_USAGE } from '../domain/usage.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import { measure, measureCut } from './measure.ts'
import type { GatewayPorts } from './ports.ts'

it('what is counted instead of the vendor is never more than was held for', async () => {
  const bound = { usage: { ...NO_USAGE, input: 6n, output: 4n, requests: 1n } }
  const gate = { bound, request: { work: null } } as unknown as Admitted<unknown, unknown>
  const endpoint = { text: () => 'asked' } as unknown as PaidEndpoint<unknown, unknown>
  const of = async (asked: number, said: number) => {
    const ports = { countTokens: async (text: string) => (text === 'asked' ? asked : said) } as unknown as GatewayPorts
    const { usage, certainty } = await measure(
      null,
      { text: () => 'said' },
      'The vendor reported no usage.',
      gate,
      endpoint,
      ports,
    )
    expect(certainty).toEqual({ exact: false, why: 'The vendor reported no usage.' })
    return [usage.input, usage.output, usage.requests]
  }
  expect(await of(5, 3)).toEqual([5n, 3n, 1n])
  expect(await of(7, 3)).toEqual([6n, 3n, 1n])
  expect(await of(5, 5000)).toEqual([5n, 4n, 1n])
})

it('a count of many times what the model can take, or what was held for if it is no language model, is not the count', async () => {
  const bound = { choices: 2, usage: { ...NO_USAGE, input: 600n, output: 400n, requests: 1n } }
  const gate = { bound, request: { work: null, model: { contextWindow: 1_000 } } } as unknown as Admitted<unknown, unknown>
  const ports = { countTokens: async () => 5 } as unknown as GatewayPorts
  const of = (input: bigint, endpoint: object) => {
    const reported = { ...NO_USAGE, input, output: 0n, requests: 1n }
    const paid = { text: () => 'asked', ...endpoint } as unknown as PaidEndpoint<unknown, unknown>
    return measure(reported, { text: () => 'said' }, 'The vendor reported no usage.', gate, paid, ports)
  }
  expect(await of(32_000n, { language: {} })).toMatchObject({ usage: { input: 32_000n }, certainty: { exact: true } })
  expect(await of(32_001n, { language: {} })).toEqual({
    usage: { ...NO_USAGE, input: 5n, output: 5n, requests: 1n },
    certainty: { exact: false, why: 'The vendor reported more than the model can take.' },
  })
  expect(await of(16_000n, {})).toMatchObject({ usage: { input: 16_000n }, certainty: { exact: true } })
  expect(await of(16_001n, {})).toMatchObject({ usage: { input: 5n }, certainty: { exact: false } })
})

describe('searches of the web', () => {
  const usage = { ...NO_USAGE, input: 100n, output: 50n, requests: 1n }
  const gate = (web_search?: bigint) =>
    ({
      bound: { choices: 1, usage: { ...usage, ...(web_search === undefined ? {} : { media: { web_search } }) } },
      request: { work: null, model: { contextWindow: 1_000 } },
    }) as unknown as Admitted<unknown, unknown>
  const endpoint = { text: () => 'asked', language: {} } as unknown as PaidEndpoint<unknown, unknown>
  const ports = { countTokens: async () => 5 } as unknown as GatewayPorts
  const of = (reported: typeof usage | null, searches: number, held?: bigint) =>
    measure(reported, { text: () => 'said', searches }, 'The vendor reported no usage.', gate(held), endpoint, ports)

  it('are counted beside the tokens, whoever counted these', async () => {
    const exact = { exact: true }
    expect(await of(usage, 3, 20n)).toEqual({ usage: { ...usage, media: { web_search: 3n } }, certainty: exact })
    expect(await of(null, 3, 20n)).toMatchObject({
      usage: { input: 100n, media: { web_search: 3n } },
      certainty: { exact: false },
    })
    expect(await of(usage, 0, 20n)).toEqual({ usage, certainty: exact })
  })

  it('cost nothing where none were asked for, and never more than sixteen times what was held for', async () => {
    expect(await of(usage, 3)).toEqual({ usage, certainty: { exact: true } })
    expect(await of(usage, 1_000_000, 2n)).toMatchObject({ usage: { media: { web_search: 32n } } })
  })
})

describe('images that no usage covers', () => {
  const bound = { usage: { ...NO_USAGE, input: 6n, output: 10_000n, requests: 1n } }
  const gate = { bound, request: { work: null } } as unknown as Admitted<unknown, unknown>
  const endpoint = { text: () => 'asked' } as unknown as PaidEndpoint<unknown, unknown>
  const ports = (tokens: number) => ({ countTokens: async () => tokens }) as unknown as GatewayPorts
  const why = 'The vendor did not say what its images used; each was counted as 6240 tokens, within what was held.'
  const said = (images: number) => ({ text: () => 'said', images })

  it('count for the most that one has, never for more than was held, and the receipt says so', async () => {
    const of = (images: number, tokens: number) =>
      measure(null, said(images), 'The vendor reported no usage.', gate, endpoint, ports(tokens))
    expect(await of(1, 5)).toEqual({
      usage: { ...NO_USAGE, input: 5n, output: 5n, requests: 1n, media: { image_output: 6240n } },
      certainty: { exact: false, why },
    })
    expect(await of(2, 5)).toMatchObject({ usage: { output: 0n, media: { image_output: 10_000n } } })
    expect(await of(1, 9_000)).toMatchObject({ usage: { output: 3760n, media: { image_output: 6240n } } })
    expect(await of(0, 5)).toMatchObject({ usage: { output: 5n }, certainty: { why: 'The vendor reported no usage.' } })
  })

  it('are added to the last count of a stream that broke off', async () => {
    const running = { ...NO_USAGE, input: 6n, output: 100n, requests: 1n, media: { audio_input: 2n, image_output: 1290n } }
    const of = (images: number, tokens: number, count = running) =>
      measureCut(count, said(images), 'The vendor broke off; what was delivered was counted.', gate, ports(tokens))
    expect(await of(1, 5)).toEqual({
      usage: { ...running, output: 105n, media: { audio_input: 2n, image_output: 1290n + 6240n } },
      certainty: { exact: false, why },
    })
    expect(await of(2, 5)).toMatchObject({ usage: { output: 100n, media: { image_output: 9_900n } } })
    expect(await of(0, 9_000)).toMatchObject({ usage: { output: 8_710n, media: { image_output: 1290n } } })
    // What the vendor counted beyond the hold stays.
    expect(await of(1, 5, { ...running, output: 12_000n })).toMatchObject({ usage: { output: 12_000n, media: running.media } })
  })
})
