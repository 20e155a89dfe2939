import { expect, it } from 'vitest'
import type { Settlement, SettlementResult } from '../domain/settlement.ts'
import { Committer } from './committer.ts'
import type { LedgerStore, SettlementRow } from './ports.ts'

const settlement = (id: string) =>
  ({
    id,
    at: new Date(0),
    keyId: 'key_1',
    accountId: 'acc_1',
    budgets: [],
    trace: [],
    receipt: null,
    void: false,
  }) as unknown as Settlement

/** A committer whose database commits only when told to, and a log of what happened, in order. */
function committerOf() {
  const events: string[] = []
  const waiting: (() => void)[] = []
  const store = {
    encode: () => ({ values: [], bytes: 0 }),
    async settle(_batch: unknown, _again: boolean, rows: SettlementRow[]): Promise<SettlementResult[]> {
      const ids = rows.map(({ item }) => item.id)
      events.push(`sent ${ids}`)
      await new Promise<void>((resolve) => waiting.push(resolve))
      return ids.map((id) => ({ id, fresh: true, charged: 0n, shortfall: 0n, balance: 0n, recall: false }))
    },
  } as unknown as LedgerStore
  const committer = new Committer({
    store,
    isTransient: () => false,
    log: { info() {}, warn() {}, error() {} },
    ticks: () => 0,
    sleep: () => Promise.resolve(),
  })
  const post = (id: string) => committer.post(settlement(id)).then(() => void events.push(`told ${id}`))
  const commit = async () => {
    await expect.poll(() => waiting.length).toBe(1)
    waiting.shift()?.()
  }
  return { committer, happened: events, post, commit }
}

it('what came during a commit is sent to the database before those of that commit are told', async () => {
  const { committer, happened: events, post, commit } = committerOf()
  const first = [post('a'), post('b')]
  await expect.poll(() => events).toEqual(['sent a,b'])
  const second = post('c')
  await commit()
  await Promise.all(first)
  expect(events).toEqual(['sent a,b', 'sent c', 'told a', 'told b'])
  await commit()
  await second
  await committer.drain()
  expect(events).toEqual(['sent a,b', 'sent c', 'told a', 'told b', 'told c'])
})

it('has told everybody when it is drained', async () => {
  const { committer, happened: events, post, commit } = committerOf()
  void post('a')
  await expect.poll(() => events).toEqual(['sent a'])
  void post('b')
  const drained = committer.drain().then(() => [...events])
  await commit()
  await commit()
  expect(await drained).toEqual(['sent a', 'sent b', 'told a', 'told b'])
})
