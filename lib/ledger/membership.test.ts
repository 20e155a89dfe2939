import { expect, it } from 'vitest'
import { Membership } from './membership.ts'
import type { LedgerStore } from './ports.ts'

it('what a beat takes to arrive is no time in touch: it counts from when it was sent', async () => {
  let nowMs = 0
  let roundMs = 0
  const store = {
    register: async () => undefined,
    beat: async () => {
      nowMs += roundMs
      return { recalled: [], timeline: '1' }
    },
  } as unknown as LedgerStore
  const membership = new Membership({
    store,
    log: { info() {}, warn() {}, error() {} },
    ticks: () => nowMs,
    newOwner: () => 'owner',
    lifeMs: 1000,
    events: { restarted() {}, recalled() {}, async failedOver() {}, async beaten() {} },
  })
  await membership.join()
  nowMs = 400
  await membership.beat()
  nowMs = 899
  expect(membership.inTouch()).toBe(true)
  roundMs = 300
  await membership.beat()
  nowMs = 1398
  expect(membership.inTouch()).toBe(true)
  nowMs = 1399
  expect(membership.inTouch()).toBe(false)
})
