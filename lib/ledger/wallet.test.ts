import { afterEach, expect, it } from 'vitest'
import type { LedgerStore } from './ports.ts'
import { Wallet } from './wallet.ts'

const REQUEST = { accountId: 'acc_1', keyId: 'key_1', budgets: [], amount: 10n }
const BUDGET = { purseId: 'key_1:total', limit: 100n, monthStart: null }

/** How far a wallet's clock runs ahead of the time it was given. */
const later = { ms: 0 }
afterEach(() => {
  later.ms = 0
})

/** A wallet whose database lends whatever it is asked for, once told to, except that the first `lost` answers are lost. */
function walletOf(nowMs: number, lost = 0, returnMoney: () => Promise<void> = async () => undefined) {
  const waiting: (() => void)[] = []
  const asked: bigint[] = []
  const store = {
    grow: async ({ need, seq }: { need: bigint; seq: bigint }) => {
      asked.push(seq)
      if (asked.length <= lost) throw new Error('the connection is gone')
      await new Promise<void>((resolve) => waiting.push(resolve))
      return { granted: need, balance: 1000n, elsewhere: false, unheard: false, askedAt: new Date(0) }
    },
    returnMoney,
  } as unknown as LedgerStore
  const log = { info() {}, warn() {}, error() {} }
  const wallet = new Wallet({
    store,
    log,
    ticks: () => nowMs + later.ms,
    isTransient: () => true,
    mayAdmit: () => true,
    onSwept: () => undefined,
  })
  wallet.restart('owner')
  const lend = async () => {
    await expect.poll(() => waiting.length).toBeGreaterThan(0)
    for (const resolve of waiting.splice(0)) resolve()
  }
  return { wallet, lend, asked }
}

it('a limit whose purse is new is not forgotten while its account is asked for money', async () => {
  const { wallet, lend } = walletOf(60_000)
  const holding = wallet.hold({ ...REQUEST, budgets: [BUDGET] })
  await wallet.returnIdle()
  await lend()
  await lend()
  expect(await holding).toMatchObject({ amount: 10n, budgets: ['key_1:total'] })
})

it('what is there is held at once, without a promise, and held only once', async () => {
  const { wallet, lend } = walletOf(0)
  const first = wallet.hold(REQUEST)
  await lend()
  const hold = await first
  if ('refused' in hold) throw new Error(hold.refused)
  hold.end(0n)
  expect(wallet.hold(REQUEST)).toMatchObject({ amount: 10n })
  const more = wallet.hold({ ...REQUEST, amount: 1n })
  expect(more).toBeInstanceOf(Promise)
  await lend()
  expect(await more).toMatchObject({ amount: 1n })
  expect(wallet.held('acc_1')).toEqual({ nano: 11n, requests: 2 })
})

it('what cost more than its hold takes nothing else that is leased: the database has taken the rest from free money', async () => {
  const { wallet, lend } = walletOf(0)
  const asked = [wallet.hold(REQUEST), wallet.hold(REQUEST)]
  await lend()
  await lend()
  const [first, second] = await Promise.all(asked)
  if (!first || !second || 'refused' in first || 'refused' in second) throw new Error('refused')
  first.end(15n)
  second.end(0n)
  expect(wallet.hold(REQUEST)).toMatchObject({ amount: 10n })
})

it('ends once: a second end gives nothing back', async () => {
  const { wallet, lend } = walletOf(0)
  const asked = wallet.hold(REQUEST)
  await lend()
  const hold = await asked
  if ('refused' in hold) throw new Error(hold.refused)
  hold.end(0n)
  hold.end(0n)
  expect(wallet.held('acc_1')).toEqual({ nano: 0n, requests: 0 })
  expect(wallet.hold(REQUEST)).toMatchObject({ amount: 10n })
  expect(wallet.hold(REQUEST)).toBeInstanceOf(Promise)
  await lend()
})

it('an answer that was lost is asked for again under its number, at once', async () => {
  const { wallet, lend, asked } = walletOf(0, 1)
  const holding = wallet.hold(REQUEST)
  await lend()
  expect(await holding).toMatchObject({ amount: 10n })
  expect(asked).toEqual([1n, 1n])
})

it('and where that is lost too, before anything else is changed', async () => {
  const { wallet, lend, asked } = walletOf(0, 2)
  await expect(wallet.hold(REQUEST)).rejects.toThrow('the connection is gone')
  const again = wallet.hold(REQUEST)
  await lend()
  // The lost one was granted after all, and it is enough.
  expect(await again).toMatchObject({ amount: 10n })
  expect(asked).toEqual([1n, 1n, 1n])
})

it('what is on its way back is not held any more, though the database has not answered yet', async () => {
  const back: (() => void)[] = []
  const { wallet, lend } = walletOf(0, 0, () => new Promise((resolve) => back.push(resolve)))
  const asked = wallet.hold(REQUEST)
  await lend()
  const hold = await asked
  if ('refused' in hold) throw new Error(hold.refused)
  hold.end(0n)
  wallet.recall('acc_1')
  await expect.poll(() => back.length).toBe(1)
  const again = wallet.hold(REQUEST)
  expect(again).toBeInstanceOf(Promise)
  back[0]?.()
  await lend()
  expect(await again).toMatchObject({ amount: 10n })
})

it('gives idle money back a few purses at a time, and one round is enough at a time', async () => {
  let [under, most, given] = [0, 0, 0]
  const giveBack = async () => {
    most = Math.max(most, ++under)
    await new Promise((resolve) => setTimeout(resolve, 5))
    under--
    given++
  }
  const { wallet, lend } = walletOf(0, 0, giveBack)
  const holds = Array.from({ length: 40 }, (_, n) => wallet.hold({ ...REQUEST, accountId: `acc_${n}` }))
  await lend()
  for (const hold of await Promise.all(holds)) if (!('refused' in hold)) hold.end(0n)
  await wallet.returnIdle()
  expect(given).toBe(0)
  later.ms = 60_000
  await Promise.all([wallet.returnIdle(), wallet.returnIdle(), wallet.returnIdle()])
  expect({ given, most }).toEqual({ given: 40, most: 4 })
})
