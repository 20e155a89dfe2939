import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { SignedInUser } from '#lib/services/ports'
import { type AutoTopUpWorld, openAutoTopUpWorld } from './auto-top-up-world.ts'

/** The number of top-ups that one round starts. */
const ROUND = 50

let auto: AutoTopUpWorld
beforeAll(async () => {
  auto = await openAutoTopUpWorld()
})
afterAll(() => auto.close())
beforeEach(() => auto.reset())

/** One account more than a round takes, all due for a top-up. `last` comes last by its id. */
async function createDueUsers(): Promise<{ all: SignedInUser[]; others: string[]; last: SignedInUser }> {
  const users: SignedInUser[] = []
  for (let left = ROUND; left >= 0; left--) {
    const user = await auto.createPayer(2)
    await auto.enable(user, { threshold: 500, amount: 1, ceiling: 1_000 })
    users.push(user)
  }
  users.sort((a, b) => (a.accountId < b.accountId ? -1 : 1))
  const last = users.at(-1) as SignedInUser
  return { all: users, others: users.slice(0, -1).map(({ accountId }) => accountId), last }
}

it('who could be paid for again at once does not stand before who was not paid for yet', async () => {
  const { all } = await createDueUsers()
  expect(await auto.run()).toBe(ROUND)
  const skipped = all.filter((user) => auto.intents(user).length === 0)
  expect(skipped).toHaveLength(1)
  for (const intent of auto.billing.stripe.cards.intents.values()) expect(await auto.deliverEvent(intent)).toBe(200)
  auto.advanceClock(5_000)
  expect(await auto.run()).toBe(ROUND)
  expect(auto.intents(skipped[0] as SignedInUser)).toHaveLength(1)
})

it('whose amount cannot be paid in the currency of today takes nobody his place', async () => {
  const { others, last } = await createDueUsers()
  // As after a move to a currency with fewer decimals.
  await auto.billing.world.pool.query('update auto_top_up set amount_nano = amount_nano + 1 where account_id = any ($1)', [
    others,
  ])
  expect(await auto.run()).toBe(1)
  expect(auto.intents(last)).toHaveLength(1)
})

it('whose money is merely lent to a gateway stands behind whose money is spent', async () => {
  const { others, last } = await createDueUsers()
  const { pool } = auto.billing.world
  await pool.query('update auto_top_up set threshold_nano = 2000000000 where account_id = any ($1)', [others])
  // All of them are in use: a gateway leases the money again as soon as it was given back.
  await pool.query('update purse set leased = 1 where id = any ($1)', [others])
  await auto.run()
  expect(auto.intents(last)).toHaveLength(1)
})
