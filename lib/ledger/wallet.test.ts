import { expect, it } from 'vitest'
import type { LedgerStore } from './ports.ts'
import { Wallet } from './wallet.ts'

const BUDGET = { purseId: 'key_1:total', limit: 100n, monthStart: null }

/** A wallet whose database lends whatever is asked for, when it is let. */
function walletOf(nowMs: number) {
  const waiting: (() => void)[] = []
  const store = {
    grow: async ({ need }: { need: bigint }) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return { granted: need, balance: 1000n, elsewhere: false, unheard: false, askedAt: new Date(0) }
    },
    giveBack: async () => undefined,
  } as unknown as LedgerStore
  const log = { info() {}, warn() {}, error() {} }
  const wallet = new Wallet({
    store,
    log,
    ticks: () => nowMs,
    isTransient: () => false,
    inTouch: () => true,
    swept: () => undefined,
  })
  wallet.restart('owner')
  const lend = async () => {
    await expect.poll(() => waiting.length).toBeGreaterThan(0)
    for (const resolve of waiting.splice(0)) resolve()
  }
  return { wallet, lend }
}

it('a limit whose purse is new is not forgotten while its account is asked for money', async () => {
  const { wallet, lend } = walletOf(60_000)
  const holding = wallet.hold({ accountId: 'acc_1', keyId: 'key_1', budgets: [BUDGET], amount: 10n })
  await wallet.returnIdle()
  await lend()
  await lend()
  expect(await holding).toMatchObject({ amount: 10n, budgets: ['key_1:total'] })
})

it('what is there is held at once, without a promise, and held only once', async () => {
  const { wallet, lend } = walletOf(0)
  const first = wallet.hold({ accountId: 'acc_1', keyId: 'key_1', budgets: [], amount: 10n })
  await lend()
  const hold = await first
  if ('refused' in hold) throw new Error(hold.refused)
  hold.end(0n)
  expect(wallet.hold({ accountId: 'acc_1', keyId: 'key_1', budgets: [], amount: 10n })).toMatchObject({ amount: 10n })
  const more = wallet.hold({ accountId: 'acc_1', keyId: 'key_1', budgets: [], amount: 1n })
  expect(more).toBeInstanceOf(Promise)
  await lend()
  expect(await more).toMatchObject({ amount: 1n })
  expect(wallet.held('acc_1')).toEqual({ nano: 11n, requests: 2 })
})
