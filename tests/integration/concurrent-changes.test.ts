// Everything at once that moves money or sets its price: two gateways of which one is killed, operators, Stripe and the account
// holders.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { closeAccount } from '#lib/services/account/close-account'
import { redeemCode } from '#lib/services/billing/redeem-code'
import { updateKey } from '#lib/services/keys/update-key'
import { archiveModel } from '#lib/services/operator/archive'
import { deductFromAccount, grantToAccount } from '#lib/services/operator/change-credit'
import { mintCodes } from '#lib/services/operator/mint-codes'
import { setPrice } from '#lib/services/operator/set-price'
import { resumeAccount, suspendAccount } from '#lib/services/operator/suspend-account'
import { updateGroup } from '#lib/services/operator/update-group'
import { updateModel } from '#lib/services/operator/update-model'
import type { SignedInUser } from '#lib/services/ports'
import { disputeObject, refundObject } from '../fakes/stripe-objects.ts'
import { chatAnswer, type FakeVendor, sendJson, sendStream, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { addKey, addModel } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { Journal } from '../support/journal.ts'
import { expectBalancedBooks, openLedger } from '../support/ledger.ts'
import { Random } from '../support/random.ts'
import { type AutoTopUpWorld, openAutoTopUpWorld } from './auto-top-up-world.ts'
import { UNIT } from './billing-world.ts'
import { PASSWORD } from './console-world.ts'

const seed = process.env.FUZZ_SEED ?? randomUUID()
const random = new Random(seed)
const STORM_MS = 6_000
/** How long a killed process keeps what it leased. */
const LIFE_MS = 3000
const ENV = { LEASE_LIFE_MS: String(LIFE_MS), LOG_LEVEL: 'error' }
const MODELS = ['storm/a', 'storm/b']
const MULTIPLIERS_BP = [5_000, 10_000, 12_500]
/** The errors that concurrent changes may cause. Anything else is a fault. */
const EXPECTED_CODES = ['conflict', 'invalid_input', 'rate_limit_exceeded', 'not_found']
const COMPLETED = 'checkout.session.completed'

interface Person extends SignedInUser {
  keyId: string
  secret: string
}

interface Stage {
  auto: AutoTopUpWorld
  vendor: FakeVendor
  gateways: TestGateway[]
  people: Person[]
  operator: SignedInUser
  codes: string[]
  /** Payments that were credited and not taken back yet, with what was paid in cents. */
  intents: { id: string; cents: number }[]
  faults: string[]
}

/** Nano-dollars per million output tokens: a request of a hundred tokens costs from a fifth of a unit to a unit. */
const rates = () => ({ input: '0', output: String(BigInt(random.integer(2, 10)) * 1_000_000_000_000n) })
const units = (from: number, to: number): string => String(BigInt(random.integer(from, to)) * UNIT)
const NO_MEMBERSHIP_CHANGES = { addModels: [], removeModels: [], addAccounts: [], removeAccounts: [] }

async function openStage(): Promise<Stage> {
  const auto = await openAutoTopUpWorld()
  const { world } = auto.billing
  world.clock.at = new Date()
  const vendor = await startFakeVendor()
  vendor.answer(async (call) => {
    const maxTokens = Number(call.body.max_tokens ?? 10)
    await sleep(random.integer(0, 250))
    // Some report more than they were allowed, and some nothing.
    const usage = random.chance(0.1) ? null : usageOf(5, Math.ceil(maxTokens * (random.chance(0.1) ? 2 : random.next())))
    if (call.body.stream !== true) return sendJson(call, chatAnswer('one two three', usage))
    sendStream(call, ['one ', 'two ', 'three'], usage)
  })
  for (const id of MODELS) await addModel(world.pool, { id, baseUrl: vendor.url, units: rates(), groupId: 'grp_main' })
  const people: Person[] = []
  for (let number = 0; number < 6; number++) {
    const user = await auto.createPayer(10)
    await auto.enable(user, { threshold: 3, amount: 5, ceiling: 50 })
    people.push({ ...user, ...(await addKey(world.pool, user.accountId, { groupId: 'grp_main', limitMonthNano: 30n * UNIT })) })
  }
  const operator = await world.newUser('owner')
  const input = { token: randomUUID(), amountNano: String(UNIT), count: 20, note: '' }
  const { codes } = await mintCodes({ ctx: world.as(operator), input })
  // A gateway creates no first person if there are people already.
  const start = () => startGateway({ databaseUrl: world.url, env: ENV })
  const gateways = [await start(), await start()]
  return { auto, vendor, gateways, people, operator, codes, intents: [], faults: [] }
}

/** Payments, refunds and disputes. Events come twice, at once, and in any order. */
function paymentActions({ auto, people, intents, faults }: Stage): Record<string, () => Promise<unknown>> {
  const { billing } = auto
  const send = async (...events: [type: string, object: object, created?: number][]) => {
    const now = Math.floor(Date.now() / 1000)
    const answers = await Promise.all(
      events.map(([type, object, later = 0]) => billing.send(type, object, { created: now + later })),
    )
    for (const status of answers)
      if (status !== 200) faults.push(`Stripe was answered ${status} to ${events.map(([type]) => type)}`)
  }
  const takePayment = () => intents.splice(random.integer(0, intents.length - 1), 1)[0]
  return {
    topUp: async () => {
      const { session } = await billing.startPayment(random.integer(1, 5), random.pick(people))
      const paid = billing.stripe.pay(session.id)
      await send([COMPLETED, paid], [COMPLETED, paid])
      intents.push({ id: String(paid.payment_intent), cents: paid.amount_total })
    },
    autoTopUp: async () => {
      await Promise.all([auto.run(), auto.run()])
      for (const intent of auto.intents(random.pick(people))) await send(['payment_intent.succeeded', intent])
    },
    refund: async () => {
      const payment = takePayment()
      if (!payment) return
      const refund = refundObject(`re_${randomUUID()}`, payment.id, random.integer(1, payment.cents))
      await send(['refund.created', refund], ['refund.created', refund])
      if (random.chance(0.3)) await send(['refund.failed', { ...refund, status: 'failed' }])
    },
    dispute: async () => {
      const payment = takePayment()
      if (!payment) return
      const dispute = disputeObject(`dp_${randomUUID()}`, payment.id, payment.cents)
      const won = { ...dispute, status: 'won' }
      await send(['charge.dispute.created', dispute], ['charge.dispute.funds_withdrawn', dispute])
      if (random.chance(0.6)) await send(['charge.dispute.funds_reinstated', won, 1], ['charge.dispute.closed', won, 1])
      if (random.chance(0.5)) await send(['charge.dispute.funds_withdrawn', { ...dispute, status: 'lost' }, 2])
    },
  }
}

/** What account holders do with their money. */
function holderActions({ auto, people, codes }: Stage): Record<string, () => Promise<unknown>> {
  const { world } = auto.billing
  const limit = () => (random.chance(0.2) ? null : units(1, 40))
  return {
    redeem: async () => {
      // Twice by the same person and once by another, at the same moment.
      const code = random.pick(codes)
      const [one, other] = [random.pick(people), random.pick(people)]
      const all = [one, one, other].map((user) => redeemCode({ ctx: world.as(user), input: { code } }))
      for (const each of await Promise.allSettled(all))
        if (each.status === 'rejected' && !isExpectedError(each.reason)) throw each.reason
    },
    limits: async () => {
      const person = random.pick(people)
      const changes = random.chance(0.5) ? { limitMonthNano: limit() } : { limitMonthNano: limit(), limitTotalNano: limit() }
      await updateKey({ ctx: world.as(person), input: { id: person.keyId, ...changes } })
    },
    close: async () => {
      // Rarely, or nobody would be left. The first two always stay.
      if (!random.chance(0.2)) return
      const user = random.pick(people.slice(2))
      const { balanceNano } = await world.console.ports.purses.sums(user.accountId)
      const forfeitNano = balanceNano === 0n ? null : String(balanceNano)
      await closeAccount({ ctx: world.as(user), input: { email: user.email, password: PASSWORD, forfeitNano } })
    },
  }
}

/** What operators do to money and to prices. */
function operatorActions({ auto, people, operator }: Stage): Record<string, () => Promise<unknown>> {
  const { world } = auto.billing
  const ctx = world.as(operator)
  const version = async (table: 'model' | 'model_group', id: string): Promise<number> =>
    (await world.pool.query(`select version from ${table} where id = $1`, [id])).rows[0].version
  const tokens = Array.from({ length: 6 }, () => randomUUID())
  const money = () => ({
    id: random.pick(people).accountId,
    token: random.pick(tokens),
    amountNano: units(1, 2),
    reason: 'A reason',
  })
  const group = async (more: object) =>
    updateGroup({
      ctx,
      input: { id: 'grp_main', version: await version('model_group', 'grp_main'), ...NO_MEMBERSHIP_CHANGES, ...more },
    })
  return {
    grant: () => grantToAccount({ ctx, input: money() }),
    deduct: () => deductFromAccount({ ctx, input: money() }),
    suspend: async () => {
      const { accountId: id } = random.pick(people)
      await suspendAccount({ ctx, input: { id, reason: 'A reason' } })
      await sleep(random.integer(0, 200))
      await resumeAccount({ ctx, input: { id } })
    },
    price: () => {
      const startsAt = random.chance(0.5) ? null : new Date(Date.now() + random.integer(100, 800)).toISOString()
      const input = { modelId: random.pick(MODELS), startsAt, rates: rates(), vendorRates: null, note: '' }
      return setPrice({ ctx, input })
    },
    factor: () => group({ multiplierBp: random.pick(MULTIPLIERS_BP) }),
    leave: async () => {
      await group({ removeModels: ['storm/b'] })
      await sleep(random.integer(0, 200))
      await group({ addModels: ['storm/b'] })
    },
    archive: async () => {
      await archiveModel({ ctx, input: { id: 'storm/b', version: await version('model', 'storm/b') } })
      await sleep(random.integer(0, 200))
      await updateModel({ ctx, input: { id: 'storm/b', version: await version('model', 'storm/b'), archived: false } })
    },
  }
}

const isExpectedError = (error: unknown): boolean => EXPECTED_CODES.includes((error as { code: string }).code)

/** Does one thing after another until the storm is over. An error that is not in SAID is a fault. */
async function runActions(stage: Stage, until: number, pauseMs: number): Promise<void> {
  const actions = Object.entries({ ...paymentActions(stage), ...holderActions(stage), ...operatorActions(stage) })
  while (performance.now() < until) {
    const [name, action] = random.pick(actions)
    stage.auto.billing.world.clock.at = new Date()
    await action().catch((error) => void (isExpectedError(error) || stage.faults.push(`${name}: ${String(error)}`)))
    await sleep(random.integer(0, pauseMs))
  }
}

async function sendRequests({ people, gateways }: Stage, journal: Journal, until: number): Promise<void> {
  while (performance.now() < until) {
    const stream = random.chance(0.6)
    const signal = random.chance(0.1) ? AbortSignal.timeout(random.integer(20, 300)) : undefined
    const body = { model: random.pick(MODELS), stream, max_tokens: random.integer(1, 100) }
    const streamFields = stream ? { stream_options: { include_usage: true } } : {}
    await journal.call(random.pick(gateways).url, random.pick(people).secret, { ...body, ...streamFields }, signal)
    await sleep(random.integer(0, 20))
  }
}

/** Kills the second gateway in the middle, and starts another in its place. */
async function replaceGateway({ gateways, auto }: Stage): Promise<void> {
  await sleep(STORM_MS / 4)
  const killed = gateways.pop()
  killed?.kill('SIGKILL')
  await killed?.stop()
  gateways.push(await startGateway({ databaseUrl: auto.billing.world.url, env: ENV }))
}

/**
 * Expects each receipt to name a price version of its model that was in force when the request came, or had just ceased to be.
 */
async function expectPinnedPrices({ auto }: Stage): Promise<number> {
  const { rows } = await auto.billing.world.pool.query(`
    select u.id, u.receipt, p.units, p.model_id = u.model_id and p.starts_at < u.at + interval '2 s'
           and not exists (select from price n where n.model_id = p.model_id and n.starts_at > p.starts_at
                              and n.starts_at < u.at - interval '5 s') as good
      from usage_record u left join price p on p.id = u.receipt->>'priceId'
     where u.model_id = any ('{storm/a,storm/b}') and u.receipt->>'priceId' is not null`)
  for (const row of rows) {
    expect(row.good, JSON.stringify(row)).toBe(true)
    expect(MULTIPLIERS_BP).toContain(row.receipt.multiplierBp)
    for (const line of row.receipt.lines) expect(line.priceNano, JSON.stringify(row)).toBe(row.units[line.unit])
  }
  return rows.length
}

/** Expects each record to charge the cost that the client was told. The client is not told what the operator bears. */
async function expectReportedCosts({ auto }: Stage, journal: Journal): Promise<void> {
  const reported = journal.completed.filter(({ requestId, costNano }) => requestId !== null && costNano !== null)
  const { rows } = await auto.billing.world.pool.query(
    `select id, charged_nano as cost, outcome from usage_record where id = any ($1)`,
    [reported.map(({ requestId }) => requestId)],
  )
  const records = new Map(rows.map((row) => [row.id, row]))
  for (const { requestId, costNano } of reported)
    expect(records.get(requestId)).toMatchObject({ cost: String(costNano), outcome: 'finished' })
}

test(`prices, limits, models, accounts and payments change under requests, and a gateway dies: the books balance (FUZZ_SEED=${seed})`, async () => {
  const stage = await openStage()
  const { auto, vendor, gateways, faults } = stage
  const { pool, url } = auto.billing.world
  const journal = new Journal()
  try {
    const until = performance.now() + STORM_MS
    const clients = Array.from({ length: 16 }, () => sendRequests(stage, journal, until))
    await Promise.all([
      ...clients,
      runActions(stage, until, 60),
      runActions(stage, until, 60),
      runActions(stage, until, 60),
      replaceGateway(stage),
    ])
    expect(faults).toEqual([])
  } finally {
    for (const gateway of gateways) await gateway.stop()
    await vendor[Symbol.asyncDispose]()
  }
  // After a life, what the killed process held is free again.
  const ledger = await openLedger(pool, url, LIFE_MS)
  await expect
    .poll(async () => {
      await ledger.membership.sweep()
      return (await pool.query('select coalesce(sum(leased), 0) as leased from purse')).rows[0].leased
    })
    .toBe('0')
  await ledger.close()
  await expectBalancedBooks(pool)
  await expectReportedCosts(stage, journal)
  expect(await expectPinnedPrices(stage)).toBeGreaterThan(0)
  await auto.close()
}, 180_000)
