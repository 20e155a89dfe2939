import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { startBillingUpkeep } from '#lib/host/billing-upkeep'
import { signEvent } from '../fakes/stripe-events.ts'
import { balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type AutoTopUpWorld, openAutoTopUpWorld } from './auto-top-up-world.ts'
import { UNIT } from './billing-world.ts'

let auto: AutoTopUpWorld
beforeAll(async () => {
  auto = await openAutoTopUpWorld()
})
afterAll(() => auto.close())
afterEach(() => expectBalancedBooks(auto.billing.world.pool))

it('tops up, and tells by mail of all that holders want to know, though one of its steps fails', async () => {
  const { world } = auto.billing
  const { ports } = world.console
  const user = await auto.createPayer(10)
  await auto.enable(user)
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
  const warnings: object[] = []
  const failingAccounts = { ...ports.billingAccounts, collectDebts: () => Promise.reject(new Error('no')) }
  const stop = startBillingUpkeep(
    {
      ports: { ...ports, billingAccounts: failingAccounts },
      mail: { send: async (mail) => void mails.push(mail) },
      log: { warn: (fields) => warnings.push(fields) },
    },
    30,
  )
  const subjects = () => mails.map(({ subject }) => subject).sort()
  const subjectsBefore = ['$7.00 spent today', 'Your Tollgate balance is $3.00']
  await vi.waitFor(() => expect(subjects()).toEqual(subjectsBefore), { timeout: 10_000 })
  await vi.waitFor(() => expect(auto.intents(user)).toHaveLength(1), { timeout: 10_000 })
  const [intent] = auto.intents(user)
  expect(await auto.deliverEvent(intent ?? {})).toBe(200)
  // A notice of an event that happens now is due once the clock has reached that time.
  world.clock.at = new Date(Date.now() + 1000)
  const allSubjects = ['$20.00 was added to your Tollgate balance', ...subjectsBefore]
  await vi.waitFor(() => expect(subjects()).toEqual(allSubjects), { timeout: 10_000 })
  await stop()
  expect(mails.every(({ to }) => to === user.email)).toBe(true)
  expect(warnings).toContainEqual(expect.objectContaining({ step: 'debts' }))
  expect((await balanceOf(world.pool, user.accountId)).balance).toBe(23n * UNIT)
  expect((await world.pool.query('select from notice')).rowCount).toBe(0)
})

it('logs once that the event of an automatic payment does not arrive, and again when it is booked', async () => {
  const { world, stripe } = auto.billing
  const user = await auto.createPayer(2)
  await auto.enable(user)
  await auto.run()
  const [intent] = auto.intents(user)
  const [{ id }] = (await auto.payments(user)) as [{ id: string }]
  const logged: object[] = []
  const log = { warn: (fields: object) => logged.push(fields) }
  const stop = startBillingUpkeep({ ports: world.console.ports, mail: { send: async () => undefined }, log }, 30)
  const lookUp = async () => {
    auto.advanceClock(11 * 60_000)
    const since = stripe.asked.length
    await vi.waitFor(() => expect(stripe.asked.slice(since).some(({ path }) => path === '/v1/events')).toBe(true), 10_000)
  }
  await lookUp()
  await lookUp()
  const created = Math.floor(world.clock.at.getTime() / 1000)
  const { body } = signEvent('payment_intent.succeeded', intent ?? {}, { created })
  stripe.events.push(JSON.parse(body))
  await lookUp()
  await vi.waitFor(() => expect(logged).toHaveLength(2), 10_000)
  await stop()
  expect(logged).toMatchObject([
    { payment: id, account: user.accountId },
    { payment: id, event: JSON.parse(body).id },
  ])
  expect(await auto.balance(user)).toBe(22n * UNIT)
})
