import { expect, it } from 'vitest'
import { Membership } from './membership.ts'
import type { LedgerStore } from './ports.ts'

it('what a beat takes to arrive is no time in touch: it counts from when it was sent', async () => {
  let nowMs = 0
  let roundMs = 0
  const store = {
    register: async () => undefined,
    heartbeat: async () => {
      nowMs += roundMs
      return { recalled: [], timeline: '1' }
    },
  } as unknown as LedgerStore
  const membership = new Membership({
    store,
    log: { info() {}, warn() {}, error() {} },
    ticks: () => nowMs,
    newOwner: () => 'owner',
    lifetimeMs: 1000,
    events: { onRestart() {}, onRecall() {}, async onFailover() {}, onHeartbeat() {} },
  })
  await membership.join()
  nowMs = 400
  await membership.sendHeartbeat()
  nowMs = 899
  expect(membership.mayAdmit()).toBe(true)
  roundMs = 300
  await membership.sendHeartbeat()
  nowMs = 1398
  expect(membership.mayAdmit()).toBe(true)
  nowMs = 1399
  expect(membership.mayAdmit()).toBe(false)
})

/** A process that records what it tells a database on this timeline. */
function createRecordingMembership(server: { timeline: string }) {
  const storeCalls: string[] = []
  const recordCall = async (what: string) => void storeCalls.push(what)
  const store = {
    register: (owner: string) => recordCall(`register ${owner}`),
    heartbeat: async () => ({ recalled: [], timeline: server.timeline }),
    release: (owner: string) => recordCall(`release ${owner}`),
  } as unknown as LedgerStore
  let owners = 0
  const membership = new Membership({
    store,
    log: { info() {}, warn() {}, error() {} },
    ticks: () => 0,
    newOwner: () => `owner ${++owners}`,
    lifetimeMs: 1000,
    events: { onRestart() {}, onRecall() {}, onFailover: () => recordCall('post again'), onHeartbeat() {} },
  })
  return { membership, said: storeCalls }
}

it('after a failover what it had leased is given back, and only then what was lost is posted again', async () => {
  const server = { timeline: '1' }
  const { membership, said: storeCalls } = createRecordingMembership(server)
  await membership.join()
  await membership.sendHeartbeat()
  server.timeline = '2'
  await membership.sendHeartbeat()
  await membership.sendHeartbeat()
  expect(storeCalls).toEqual(['register owner 1', 'register owner 2', 'release owner 1', 'post again'])
})

it('once it stops it gives everything back and admits nothing, though the answer of a beat comes later', async () => {
  const { membership, said: storeCalls } = createRecordingMembership({ timeline: '1' })
  await membership.join()
  const heartbeat = membership.sendHeartbeat()
  await membership.stop()
  expect(membership.mayAdmit()).toBe(false)
  await heartbeat
  expect(membership.mayAdmit()).toBe(false)
  expect(storeCalls).toEqual(['register owner 1', 'release owner 1'])
})
