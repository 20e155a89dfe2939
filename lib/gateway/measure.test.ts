import { expect, it } from 'vitest'
import { NO_USAGE } from '../domain/usage.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import { measure } from './measure.ts'
import type { GatewayPorts } from './ports.ts'

it('what is counted instead of the vendor is never more than was held for', async () => {
  const bound = { usage: { ...NO_USAGE, input: 6n, output: 4n, requests: 1n } }
  const gate = { bound, request: { work: null } } as unknown as Admitted<unknown, unknown>
  const endpoint = { text: () => 'asked' } as unknown as PaidEndpoint<unknown, unknown>
  const of = async (asked: number, said: number) => {
    const ports = { countTokens: async (text: string) => (text === 'asked' ? asked : said) } as unknown as GatewayPorts
    const { usage, certainty } = await measure(null, () => 'said', 'The vendor reported no usage.', gate, endpoint, ports)
    expect(certainty).toEqual({ exact: false, why: 'The vendor reported no usage.' })
    return [usage.input, usage.output, usage.requests]
  }
  expect(await of(5, 3)).toEqual([5n, 3n, 1n])
  expect(await of(7, 3)).toEqual([6n, 3n, 1n])
  expect(await of(5, 5000)).toEqual([5n, 4n, 1n])
})
