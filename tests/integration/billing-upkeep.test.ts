import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startBillingUpkeep } from '#lib/host/billing-upkeep'
import { balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type AutoWorld, openAutoWorld } from './auto-top-up-world.ts'
import { UNIT } from './billing-world.ts'

let auto: AutoWorld
beforeAll(async () => {
  auto = await openAutoWorld()
})
afterAll(() => auto.close())
afterEach(() => expectBalancedBooks(auto.billing.world.pool))

it('tops up, and tells by mail of all that holders want to know, though one of its steps fails', async () => {
  const { world } = auto.billing
  const { ports } = world.console
  const user = await auto.payer(10)
  await auto.switchOn(user)
  await ports.billingAccounts.setLowBalance(user.accountId, 5n * UNIT)
  const rule = {
    id: 'alr_1',
    accountId: user.accountId,
    keyId: null,
    period: 'day',
    amountNano: 6n * UNIT,
    at: world.clock.at,
  } as const
  await ports.spendingAlerts.add(rule)
  await auto.spend(user, 7)
  const mails: { to: string; subject: string }[] = []
  const warned: object[] = []
  const broken = { ...ports.billingAccounts, collectDebts: () => Promise.reject(new Error('no')) }
  const stop = startBillingUpkeep(
    {
      ports: { ...ports, billingAccounts: broken },
      mail: { send: async (mail) => void mails.push(mail) },
      log: { warn: (fields) => warned.push(fields) },
    },
    30,
  )
  const subjects = () => mails.map(({ subject }) => subject).sort()
  const before = ['$7.00 spent today', 'Your Tollgate balance is $3.00']
  await vi.waitFor(() => expect(subjects()).toEqual(before), { timeout: 10_000 })
  await vi.waitFor(() => expect(auto.intents(user)).toHaveLength(1), { timeout: 10_000 })
  const [intent] = auto.intents(user)
  expect(await auto.tell(intent ?? {})).toBe(200)
  // A notice of an event that happens now is due once the clock has reached that time.
  world.clock.at = new Date(Date.now() + 1000)
  const all = ['$20.00 was added to your Tollgate balance', ...before]
  await vi.waitFor(() => expect(subjects()).toEqual(all), { timeout: 10_000 })
  await stop()
  expect(mails.every(({ to }) => to === user.email)).toBe(true)
  expect(warned).toContainEqual(expect.objectContaining({ step: 'debts' }))
  expect((await balanceOf(world.pool, user.accountId)).balance).toBe(23n * UNIT)
  expect((await world.pool.query('select from notice')).rowCount).toBe(0)
})
