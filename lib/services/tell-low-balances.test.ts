import { expect, it } from 'vitest'
import type { BillingAccounts } from './billing-ports.ts'
import type { NoticeEvent } from './notices-ports.ts'
import { tellLowBalances } from './tell-low-balances.ts'

const low = (accountId: string) => ({
  accountId,
  email: `${accountId}@example.com`,
  name: 'Ada',
  balanceNano: 1_500_000_000n,
  lowBalanceNano: 5_000_000_000n,
})

function world(refuse: string[]) {
  const untold: string[] = []
  const told: NoticeEvent[] = []
  const billingAccounts = {
    claimLow: async () => [low('one'), low('two'), low('three')],
    untold: async (accountId: string) => void untold.push(accountId),
  } as Partial<BillingAccounts> as BillingAccounts
  const ctx = {
    clock: { now: () => new Date(0) },
    billingAccounts,
    notices: {
      async tell(event: NoticeEvent) {
        if (refuse.includes(event.accountId)) throw new Error('no')
        told.push(event)
      },
    },
  }
  return { ctx, told, untold }
}

it('tells each, with the balance and the mark', async () => {
  const { ctx, told, untold } = world([])
  expect(await tellLowBalances({ ctx })).toBe(3)
  expect(untold).toEqual([])
  expect(told[0]).toEqual({
    id: 'low_one_0',
    accountId: 'one',
    at: new Date(0),
    kind: 'balance.low',
    balanceNano: 1_500_000_000n,
    lowBalanceNano: 5_000_000_000n,
  })
})

it('takes the mark back from who could not be told, and goes on with the others', async () => {
  const { ctx, told, untold } = world(['two'])
  expect(await tellLowBalances({ ctx })).toBe(2)
  expect(untold).toEqual(['two'])
  expect(told.map(({ accountId }) => accountId)).toEqual(['one', 'three'])
})
