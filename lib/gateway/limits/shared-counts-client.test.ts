import { expect, it } from 'vitest'
import { Counts } from './counts.ts'
import { SharedCountsClient } from './shared-counts-client.ts'

const PROBE_MS = 5

it('an answer that came while this process was busy is not too late', async () => {
  const counts = new Counts({ ticks: () => 1000 })
  const reach = new SharedCountsClient({
    counts: {
      async send(asks) {
        await new Promise((resolve) => setTimeout(resolve, 5))
        return { sharers: 1, answers: asks.map((ask) => counts.answer(ask, 1, 'p')) }
      },
    },
    timeoutMs: 20,
    probeMs: PROBE_MS,
    sharers: 1,
    onChange: () => undefined,
  })
  const answer = reach.ask({ kind: 'strike', address: 'a', count: 1 })
  await Promise.resolve()
  const until = performance.now() + 100
  while (performance.now() < until);
  expect(await answer).toMatchObject({ strikes: 1 })
  reach.stop()
})

it('an answer that comes too late is not waited for', async () => {
  const reach = new SharedCountsClient({
    counts: { send: () => new Promise(() => {}) },
    timeoutMs: 20,
    probeMs: PROBE_MS,
    sharers: 1,
    onChange: () => undefined,
  })
  expect(await reach.ask({ kind: 'strike', address: 'a', count: 1 })).toBeNull()
  expect(reach.reachable).toBe(false)
  reach.stop()
})
