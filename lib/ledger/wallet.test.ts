import { afterEach, expect, it } from 'vitest'
import type { LedgerStore } from './ports.ts'
import { Wallet } from './wallet.ts'

const REQUEST = { accountId: 'acc_1', keyId: 'key_1', budgets: [], amount: 10n }
const BUDGET = { purseId: 'key_1:total', limit: 100n, monthStart: null }

/** How far a wallet's clock runs ahead of the time it was given. */
const clockOffset = { ms: 0 }
afterEach(() => {
  clockOffset.ms = 0
})

/** A wallet whose database lends whatever it is asked for, once told to, except that the first `lost` answers are lost. */
function walletOf(nowMs: number, lost = 0, returnMoney: () => Promise<void> = async () => undefined) {
  const waiting: (() => void)[] = []
  const requestedSeqs: bigint[] = []
  const store = {
    grow: async ({ need, seq }: { need: bigint; seq: bigint }) => {
      requestedSeqs.push(seq)
      if (requestedSeqs.length <= lost) throw new Error('the connection is gone')
      await new Promise<void>((resolve) => waiting.push(resolve))
      return { granted: need, balance: 1000n, elsewhere: false, unheard: false, askedAt: new Date(0) }
    },
    returnMoney,
  } as unknown as LedgerStore
  const log = { info() {}, warn() {}, error() {} }
  const wallet = new Wallet({
    store,
    log,
    ticks: () => nowMs + clockOffset.ms,
    isTransient: () => true,
    mayAdmit: () => true,
    onSwept: () => undefined,
  })
  wallet.restart('owner')
  const grantPending = async () => {
    await expect.poll(() => waiting.length).toBeGreaterThan(0)
    for (const resolve of waiting.splice(0)) resolve()
  }
  return { wallet, lend: grantPending, asked: requestedSeqs }
}

it('a limit whose purse is new is not forgotten while its account is asked for money', async () => {
  const { wallet, lend: grantPending } = walletOf(60_000)
  const pendingHold = wallet.hold({ ...REQUEST, budgets: [BUDGET] })
  await wallet.returnIdle()
  await grantPending()
  await grantPending()
  expect(await pendingHold).toMatchObject({ amount: 10n, budgets: ['key_1:total'] })
})

it('what is there is held at once, without a promise, and held only once', async () => {
  const { wallet, lend: grantPending } = walletOf(0)
  const first = wallet.hold(REQUEST)
  await grantPending()
  const hold = await first
  if ('refused' in hold) throw new Error(hold.refused)
  hold.end(0n)
  expect(wallet.hold(REQUEST)).toMatchObject({ amount: 10n })
  const more = wallet.hold({ ...REQUEST, amount: 1n })
  expect(more).toBeInstanceOf(Promise)
  await grantPending()
  expect(await more).toMatchObject({ amount: 1n })
  expect(wallet.held('acc_1')).toEqual({ nano: 11n, requests: 2 })
})

it('what cost more than its hold takes nothing else that is leased: the database has taken the rest from free money', async () => {
  const { wallet, lend: grantPending } = walletOf(0)
  const pendingHolds = [wallet.hold(REQUEST), wallet.hold(REQUEST)]
  await grantPending()
  await grantPending()
  const [first, second] = await Promise.all(pendingHolds)
  if (!first || !second || 'refused' in first || 'refused' in second) throw new Error('refused')
  first.end(15n)
  second.end(0n)
  expect(wallet.hold(REQUEST)).toMatchObject({ amount: 10n })
})

it('ends once: a second end gives nothing back', async () => {
  const { wallet, lend: grantPending } = walletOf(0)
  const pendingHold = wallet.hold(REQUEST)
  await grantPending()
  const hold = await pendingHold
  if ('refused' in hold) throw new Error(hold.refused)
  hold.end(0n)
  hold.end(0n)
  expect(wallet.held('acc_1')).toEqual({ nano: 0n, requests: 0 })
  expect(wallet.hold(REQUEST)).toMatchObject({ amount: 10n })
  expect(wallet.hold(REQUEST)).toBeInstanceOf(Promise)
  await grantPending()
})

it('an answer that was lost is asked for again under its number, at once', async () => {
  const { wallet, lend: grantPending, asked: requestedSeqs } = walletOf(0, 1)
  const pendingHold = wallet.hold(REQUEST)
  await grantPending()
  expect(await pendingHold).toMatchObject({ amount: 10n })
  expect(requestedSeqs).toEqual([1n, 1n])
})

it('and where that is lost too, before anything else is changed', async () => {
  const { wallet, lend: grantPending, asked: requestedSeqs } = walletOf(0, 2)
  await expect(wallet.hold(REQUEST)).rejects.toThrow('the connection is gone')
  const secondHold = wallet.hold(REQUEST)
  await grantPending()
  // The lost one was granted after all, and it is enough.
  expect(await secondHold).toMatchObject({ amount: 10n })
  expect(requestedSeqs).toEqual([1n, 1n, 1n])
})

it('what is on its way back is not held any more, though the database has not answered yet', async () => {
  const pendingReturns: (() => void)[] = []
  const { wallet, lend: grantPending } = walletOf(0, 0, () => new Promise((resolve) => pendingReturns.push(resolve)))
  const pendingHold = wallet.hold(REQUEST)
  await grantPending()
  const hold = await pendingHold
  if ('refused' in hold) throw new Error(hold.refused)
  hold.end(0n)
  wallet.recall('acc_1')
  await expect.poll(() => pendingReturns.length).toBe(1)
  const secondHold = wallet.hold(REQUEST)
  expect(secondHold).toBeInstanceOf(Promise)
  pendingReturns[0]?.()
  await grantPending()
  expect(await secondHold).toMatchObject({ amount: 10n })
})

it('gives idle money back a few purses at a time, and one round is enough at a time', async () => {
  let [concurrent, maxConcurrent, returnedCount] = [0, 0, 0]
  const countReturn = async () => {
    maxConcurrent = Math.max(maxConcurrent, ++concurrent)
    await new Promise((resolve) => setTimeout(resolve, 5))
    concurrent--
    returnedCount++
  }
  const { wallet, lend: grantPending } = walletOf(0, 0, countReturn)
  const holds = Array.from({ length: 40 }, (_, n) => wallet.hold({ ...REQUEST, accountId: `acc_${n}` }))
  await grantPending()
  for (const hold of await Promise.all(holds)) if (!('refused' in hold)) hold.end(0n)
  await wallet.returnIdle()
  expect(returnedCount).toBe(0)
  clockOffset.ms = 60_000
  await Promise.all([wallet.returnIdle(), wallet.returnIdle(), wallet.returnIdle()])
  expect({ given: returnedCount, most: maxConcurrent }).toEqual({ given: 40, most: 4 })
})

it('what was held under a limit that was lowered meanwhile is returned before anything is held again', async () => {
  let returned = 0
  const { wallet, lend: grantPending } = walletOf(0, 0, async () => void returned++)
  const withLimit = (limit: bigint) => ({ ...REQUEST, budgets: [{ ...BUDGET, limit }] })
  const pendingHold = wallet.hold(withLimit(100n))
  await grantPending()
  await grantPending()
  const hold = await pendingHold
  if ('refused' in hold) throw new Error(hold.refused)
  // Raised: nothing is returned.
  hold.end(2n)
  const raised = wallet.hold({ ...withLimit(200n), amount: 8n })
  if ('then' in raised || 'refused' in raised) throw new Error('not held at once')
  // Lowered while it is held: the rest of it is not held again without the database.
  await wallet.spendableNano(withLimit(50n))
  raised.end(3n)
  const lowered = wallet.hold({ ...withLimit(50n), amount: 5n })
  expect(lowered).toBeInstanceOf(Promise)
  await grantPending()
  expect(await lowered).toMatchObject({ amount: 5n })
  expect(returned).toBe(1)
})
