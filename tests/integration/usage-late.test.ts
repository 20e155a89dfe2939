import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DAY_MS } from '#lib/domain/time-units'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type ConsoleWorld, openConsoleWorld } from './console-world.ts'

// Requests that are settled late, while days and months are rolled up: the three tables must agree.
let world: ConsoleWorld
beforeAll(async () => {
  world = await openConsoleWorld()
  // A new database counts all days as rolled up, with nothing in them. Here they are not yet.
  await world.pool.query("update usage_rolled set day = '2000-01-01T00:00:00Z', month = '2000-01-01T00:00:00Z'")
})
afterAll(() => world.close())

const seed = Number(process.env.FUZZ_SEED ?? Date.now() % 1_000_000)

// Must run first: what was rolled up once is not rolled up again.
it('the first hour of a month is in its day and its month, though it is settled just before they are added up', async () => {
  const user = await world.newUser()
  const grant = { id: `ent_${user.accountId}`, accountId: user.accountId, kind: 'grant', amountNano: 1_000n } as const
  await world.console.ports.purses.credit({ ...grant, reason: 'test', actor: 'test', at: new Date() })
  const monthsAgo = (months: number, day: number) => {
    const now = new Date()
    return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, day))
  }
  await world.pool.query('select roll_usage($1)', [monthsAgo(6, 1)])
  await world.settle(user, { at: monthsAgo(6, 1), total: 40n })
  await world.pool.query('select roll_usage($1)', [monthsAgo(5, 2)])
  for (const unit of ['day', 'month']) {
    const sums = `select ${unit} as start, charged_nano from usage_${unit} where account_id = $1 and grain = 'both'`
    expect((await world.pool.query(sums, [user.accountId])).rows).toEqual([{ start: monthsAgo(6, 1), charged_nano: '40' }])
  }
})

it(`late charges and the adding up of days and months meet in every order (FUZZ_SEED=${seed})`, async () => {
  let state = seed
  const pick = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  const users = await Promise.all([1, 2, 3].map(() => world.newUser()))
  for (const user of users)
    await world.console.ports.purses.credit({
      ...{ id: `ent_${user.accountId}`, accountId: user.accountId, kind: 'grant', amountNano: 10_000_000n, reason: 'test' },
      actor: 'test',
      at: new Date(),
    })
  let rolling = true
  // Day by day from long ago to the day before yesterday, while charges arrive for all of these days.
  const rollDays = async () => {
    for (let daysAgo = 95; daysAgo >= 2; daysAgo--) {
      const until = new Date(Date.now() - daysAgo * DAY_MS)
      await Promise.all([1, 2].map(() => world.pool.query('select roll_usage($1)', [until])))
      if (daysAgo % 2 === 0) await sleep(pick(8))
    }
    rolling = false
  }
  let settled = 0
  const settleRequests = async () => {
    while (rolling) {
      const user = users[pick(users.length)] as (typeof users)[number]
      const at = new Date(Date.now() - pick(100 * DAY_MS))
      const model = { modelId: pick(2) === 0 ? 'small' : 'large', keyId: `key_${pick(2)}` }
      await world.settle(user, { at, total: BigInt(1 + pick(900)), ...model })
      settled++
    }
  }
  await Promise.all([rollDays(), settleRequests(), settleRequests(), settleRequests()])
  expect(settled).toBeGreaterThan(50)
  const { rows } = await world.pool.query('select count(*) as days from usage_day')
  expect(Number(rows[0].days)).toBeGreaterThan(50)
  await expectBalancedBooks(world.pool)
})

it('a charge waits while days are being added up, and is not lost, nor counted twice', async () => {
  const user = await world.newUser()
  await world.console.ports.purses.credit({
    ...{
      id: `ent_${user.accountId}`,
      accountId: user.accountId,
      kind: 'grant',
      amountNano: 5_000n,
      reason: 'test',
      actor: 'test',
    },
    at: new Date(),
  })
  const upkeep = await world.pool.connect()
  await upkeep.query('begin')
  await upkeep.query("select roll_usage(now() - interval '1 day')")
  const late = world.settle(user, { at: new Date(Date.now() - 60 * DAY_MS), total: 77n })
  const fresh = await world.settle(await world.newUser(), { at: new Date() })
  expect(fresh).toMatch(/^req_/)
  await upkeep.query('commit')
  upkeep.release()
  await late
  await expectBalancedBooks(world.pool)
})
