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
    lifeMs: 1000,
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
function noting(server: { timeline: string }) {
  const said: string[] = []
  const note = async (what: string) => void said.push(what)
  const store = {
    register: (owner: string) => note(`register ${owner}`),
    heartbeat: async () => ({ recalled: [], timeline: server.timeline }),
    release: (owner: string) => note(`release ${owner}`),
  } as unknown as LedgerStore
  let owners = 0
  const membership = new Membership({
    store,
    log: { info() {}, warn() {}, error() {} },
    ticks: () => 0,
    newOwner: () => `owner ${++owners}`,
    lifeMs: 1000,
    events: { onRestart() {}, onRecall() {}, onFailover: () => note('post again'), onHeartbeat() {} },
  })
  return { membership, said }
}

it('after a failover what it had leased is given back, and only then what was lost is posted again', async () => {
  const server = { timeline: '1' }
  const { membership, said } = noting(server)
  await membership.join()
  await membership.sendHeartbeat()
  server.timeline = '2'
  await membership.sendHeartbeat()
  await membership.sendHeartbeat()
  expect(said).toEqual(['register owner 1', 'register owner 2', 'release owner 1', 'post again'])
})

it('once it stops it gives everything back and admits nothing, though the answer of a beat comes later', async () => {
  const { membership, said } = noting({ timeline: '1' })
  await membership.join()
  const beating = membership.sendHeartbeat()
  await membership.stop()
  expect(membership.mayAdmit()).toBe(false)
  await beating
  expect(membership.mayAdmit()).toBe(false)
  expect(said).toEqual(['register owner 1', 'release owner 1'])
})
