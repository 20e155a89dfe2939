import { expect, test } from 'vitest'
import type { Attempt } from '../domain/settlement.ts'
import { NO_USAGE } from '../domain/usage.ts'
import type { PaidEndpoint } from '../wire/endpoint.ts'
import type { Admitted } from './admit.ts'
import { endDisconnected } from './end-disconnected.ts'
import type { Ending } from './ending.ts'
import type { Exchange } from './exchange.ts'
import type { GatewayPorts } from './ports.ts'

/** The input tokens that are charged if the client disconnects after this call was `sent`, or just before. */
async function charged(sentToVendor: boolean, call: Pick<Attempt, 'status' | 'result'> | null): Promise<bigint | undefined> {
  const endings: Ending[] = []
  const exchange = {
    sentToVendor,
    trace: call === null ? [] : [call],
    received: { id: 'req_1' },
    minute: { state: null },
    end: async (ending: Ending) => void endings.push(ending),
  } as unknown as Exchange
  const gate = { bound: { usage: { ...NO_USAGE, input: 9n } }, request: { work: null } } as unknown as Admitted<unknown, unknown>
  const endpoint = { text: () => 'asked' } as unknown as PaidEndpoint<unknown, unknown>
  const ports = { countTokens: async (text: string) => (text === 'asked' ? 5 : 0) } as unknown as GatewayPorts
  await endDisconnected(gate, endpoint, exchange, ports)
  return endings[0]?.usage.input
}

test.each<[string, boolean, Parameters<typeof charged>[1], bigint]>([
  ['that had the request', true, { status: null, result: 'left' }, 5n],
  ['that had begun to answer', true, { status: 200, result: 'left' }, 5n],
  ['that had begun to answer with another good status', true, { status: 202, result: 'left' }, 5n],
  ['that had no connection yet', false, { status: null, result: 'left' }, 0n],
  ['that was refusing', true, { status: 503, result: 'left' }, 0n],
  ['that had failed before, without a word', true, { status: null, result: 'broken' }, 0n],
  ['that had failed before, with its first words', true, { status: 200, result: 'timed_out' }, 0n],
  ['that was none', false, null, 0n],
])('who leaves a stream before its first word pays what a vendor bills %s', async (_, sent, call, input) => {
  expect(await charged(sent, call)).toBe(input)
})
