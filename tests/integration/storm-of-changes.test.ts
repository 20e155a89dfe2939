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
import { type AutoWorld, openAutoWorld } from './auto-top-up-world.ts'
import { UNIT } from './billing-world.ts'
import { PASSWORD } from './console-world.ts'

const seed = process.env.FUZZ_SEED ?? randomUUID()
const chance = new Random(seed)
const STORM_MS = 6_000
/** How long a killed process keeps what it leased. */
const LIFE_MS = 3000
const ENV = { LEASE_LIFE_MS: String(LIFE_MS), LOG_LEVEL: 'error' }
const MODELS = ['storm/a', 'storm/b']
const FACTORS = [5_000, 10_000, 12_500]
/** The errors that concurrent changes may cause. Anything else is a fault. */
const SAID = ['conflict', 'invalid_input', 'rate_limit_exceeded', 'not_found']
const COMPLETED = 'checkout.session.completed'

interface Person extends SignedInUser {
  keyId: string
  secret: string
}

interface Stage {
  auto: AutoWorld
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
const rates = () => ({ input: '0', output: String(BigInt(chance.integer(2, 10)) * 1_000_000_000_000n) })
const units = (from: number, to: number): string => String(BigInt(chance.integer(from, to)) * UNIT)
const NO_MOVES = { addModels: [], removeModels: [], addAccounts: [], removeAccounts: [] }

async function openStage(): Promise<Stage> {
  const auto = await openAutoWorld()
  const { world } = auto.billing
  world.clock.at = new Date()
  const vendor = await startFakeVendor()
  vendor.answer(async (call) => {
    const asked = Number(call.body.max_tokens ?? 10)
    await sleep(chance.integer(0, 250))
    // Some report more than they were allowed, and some nothing.
    const usage = chance.chance(0.1) ? null : usageOf(5, Math.ceil(asked * (chance.chance(0.1) ? 2 : chance.next())))
    if (call.body.stream !== true) return sendJson(call, chatAnswer('one two three', usage))
    sendStream(call, ['one ', 'two ', 'three'], usage)
  })
  for (const id of MODELS) await addModel(world.pool, { id, baseUrl: vendor.url, units: rates(), groupId: 'grp_main' })
  const people: Person[] = []
  for (let number = 0; number < 6; number++) {
    const user = await auto.payer(10)
    await auto.switchOn(user, { threshold: 3, amount: 5, ceiling: 50 })
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
function paymentDeeds({ auto, people, intents, faults }: Stage): Record<string, () => Promise<unknown>> {
  const { billing } = auto
  const send = async (...events: [type: string, object: object, created?: number][]) => {
    const now = Math.floor(Date.now() / 1000)
    const answers = await Promise.all(
      events.map(([type, object, later = 0]) => billing.send(type, object, { created: now + later })),
    )
    for (const status of answers)
      if (status !== 200) faults.push(`Stripe was answered ${status} to ${events.map(([type]) => type)}`)
  }
  const taken = () => intents.splice(chance.integer(0, intents.length - 1), 1)[0]
  return {
    topUp: async () => {
      const { session } = await billing.start(chance.integer(1, 5), chance.pick(people))
      const paid = billing.stripe.pay(session.id)
      await send([COMPLETED, paid], [COMPLETED, paid])
      intents.push({ id: String(paid.payment_intent), cents: paid.amount_total })
    },
    autoTopUp: async () => {
      await Promise.all([auto.run(), auto.run()])
      for (const intent of auto.intents(chance.pick(people))) await send(['payment_intent.succeeded', intent])
    },
    refund: async () => {
      const of = taken()
      if (!of) return
      const refund = refundObject(`re_${randomUUID()}`, of.id, chance.integer(1, of.cents))
      await send(['refund.created', refund], ['refund.created', refund])
      if (chance.chance(0.3)) await send(['refund.failed', { ...refund, status: 'failed' }])
    },
    dispute: async () => {
      const of = taken()
      if (!of) return
      const dispute = disputeObject(`dp_${randomUUID()}`, of.id, of.cents)
      const won = { ...dispute, status: 'won' }
      await send(['charge.dispute.created', dispute], ['charge.dispute.funds_withdrawn', dispute])
      if (chance.chance(0.6)) await send(['charge.dispute.funds_reinstated', won, 1], ['charge.dispute.closed', won, 1])
      if (chance.chance(0.5)) await send(['charge.dispute.funds_withdrawn', { ...dispute, status: 'lost' }, 2])
    },
  }
}

/** What account holders do with their money. */
function holderDeeds({ auto, people, codes }: Stage): Record<string, () => Promise<unknown>> {
  const { world } = auto.billing
  const limit = () => (chance.chance(0.2) ? null : units(1, 40))
  return {
    redeem: async () => {
      // Twice by the same person and once by another, at the same moment.
      const code = chance.pick(codes)
      const [one, other] = [chance.pick(people), chance.pick(people)]
      const all = [one, one, other].map((user) => redeemCode({ ctx: world.as(user), input: { code } }))
      for (const each of await Promise.allSettled(all)) if (each.status === 'rejected' && !isSaid(each.reason)) throw each.reason
    },
    limits: async () => {
      const person = chance.pick(people)
      const changes = chance.chance(0.5) ? { limitMonthNano: limit() } : { limitMonthNano: limit(), limitTotalNano: limit() }
      await updateKey({ ctx: world.as(person), input: { id: person.keyId, ...changes } })
    },
    close: async () => {
      // Rarely, or nobody would be left. The first two always stay.
      if (!chance.chance(0.2)) return
      const user = chance.pick(people.slice(2))
      const { balanceNano } = await world.console.ports.purses.sums(user.accountId)
      const forfeitNano = balanceNano === 0n ? null : String(balanceNano)
      await closeAccount({ ctx: world.as(user), input: { email: user.email, password: PASSWORD, forfeitNano } })
    },
  }
}

/** What operators do to money and to prices. */
function operatorDeeds({ auto, people, operator }: Stage): Record<string, () => Promise<unknown>> {
  const { world } = auto.billing
  const ctx = world.as(operator)
  const version = async (table: 'model' | 'model_group', id: string): Promise<number> =>
    (await world.pool.query(`select version from ${table} where id = $1`, [id])).rows[0].version
  const tokens = Array.from({ length: 6 }, () => randomUUID())
  const money = () => ({
    id: chance.pick(people).accountId,
    token: chance.pick(tokens),
    amountNano: units(1, 2),
    reason: 'A reason',
  })
  const group = async (more: object) =>
    updateGroup({ ctx, input: { id: 'grp_main', version: await version('model_group', 'grp_main'), ...NO_MOVES, ...more } })
  return {
    grant: () => grantToAccount({ ctx, input: money() }),
    deduct: () => deductFromAccount({ ctx, input: money() }),
    suspend: async () => {
      const { accountId: id } = chance.pick(people)
      await suspendAccount({ ctx, input: { id, reason: 'A reason' } })
      await sleep(chance.integer(0, 200))
      await resumeAccount({ ctx, input: { id } })
    },
    price: () => {
      const startsAt = chance.chance(0.5) ? null : new Date(Date.now() + chance.integer(100, 800)).toISOString()
      const input = { modelId: chance.pick(MODELS), startsAt, rates: rates(), vendorRates: null, note: '' }
      return setPrice({ ctx, input })
    },
    factor: () => group({ multiplierBp: chance.pick(FACTORS) }),
    leave: async () => {
      await group({ removeModels: ['storm/b'] })
      await sleep(chance.integer(0, 200))
      await group({ addModels: ['storm/b'] })
    },
    archive: async () => {
      await archiveModel({ ctx, input: { id: 'storm/b', version: await version('model', 'storm/b') } })
      await sleep(chance.integer(0, 200))
      await updateModel({ ctx, input: { id: 'storm/b', version: await version('model', 'storm/b'), archived: false } })
    },
  }
}

const isSaid = (error: unknown): boolean => SAID.includes((error as { code: string }).code)

/** Does one thing after another until the storm is over. An error that is not in SAID is a fault. */
async function doAll(stage: Stage, until: number, pauseMs: number): Promise<void> {
  const deeds = Object.entries({ ...paymentDeeds(stage), ...holderDeeds(stage), ...operatorDeeds(stage) })
  while (performance.now() < until) {
    const [name, deed] = chance.pick(deeds)
    stage.auto.billing.world.clock.at = new Date()
    await deed().catch((error) => void (isSaid(error) || stage.faults.push(`${name}: ${String(error)}`)))
    await sleep(chance.integer(0, pauseMs))
  }
}

async function askOn({ people, gateways }: Stage, journal: Journal, until: number): Promise<void> {
  while (performance.now() < until) {
    const stream = chance.chance(0.6)
    const signal = chance.chance(0.1) ? AbortSignal.timeout(chance.integer(20, 300)) : undefined
    const body = { model: chance.pick(MODELS), stream, max_tokens: chance.integer(1, 100) }
    const told = stream ? { stream_options: { include_usage: true } } : {}
    await journal.call(chance.pick(gateways).url, chance.pick(people).secret, { ...body, ...told }, signal)
    await sleep(chance.integer(0, 20))
  }
}

/** Kills the second gateway in the middle, and starts another in its place. */
async function killOne({ gateways, auto }: Stage): Promise<void> {
  await sleep(STORM_MS / 4)
  const killed = gateways.pop()
  killed?.kill('SIGKILL')
  await killed?.stop()
  gateways.push(await startGateway({ databaseUrl: auto.billing.world.url, env: ENV }))
}

/**
 * Expects each receipt to name a price version of its model that was in force when the request came, or had just ceased to be.
 */
async function expectPinned({ auto }: Stage): Promise<number> {
  const { rows } = await auto.billing.world.pool.query(`
    select u.id, u.receipt, p.units, p.model_id = u.model_id and p.starts_at < u.at + interval '2 s'
           and not exists (select from price n where n.model_id = p.model_id and n.starts_at > p.starts_at
                              and n.starts_at < u.at - interval '5 s') as good
      from usage_record u left join price p on p.id = u.receipt->>'priceId'
     where u.model_id = any ('{storm/a,storm/b}') and u.receipt->>'priceId' is not null`)
  for (const row of rows) {
    expect(row.good, JSON.stringify(row)).toBe(true)
    expect(FACTORS).toContain(row.receipt.multiplierBp)
    for (const line of row.receipt.lines) expect(line.priceNano, JSON.stringify(row)).toBe(row.units[line.unit])
  }
  return rows.length
}

/** Expects each record to charge the cost that the client was told. The client is not told what the operator bears. */
async function expectTold({ auto }: Stage, journal: Journal): Promise<void> {
  const told = journal.complete.filter(({ requestId, costNano }) => requestId !== null && costNano !== null)
  const { rows } = await auto.billing.world.pool.query(
    `select id, charged_nano as cost, outcome from usage_record where id = any ($1)`,
    [told.map(({ requestId }) => requestId)],
  )
  const records = new Map(rows.map((row) => [row.id, row]))
  for (const { requestId, costNano } of told)
    expect(records.get(requestId)).toMatchObject({ cost: String(costNano), outcome: 'finished' })
}

test(`prices, limits, models, accounts and payments change under requests, and a gateway dies: the books balance (FUZZ_SEED=${seed})`, async () => {
  const stage = await openStage()
  const { auto, vendor, gateways, faults } = stage
  const { pool, url } = auto.billing.world
  const journal = new Journal()
  try {
    const until = performance.now() + STORM_MS
    const askers = Array.from({ length: 16 }, () => askOn(stage, journal, until))
    await Promise.all([...askers, doAll(stage, until, 60), doAll(stage, until, 60), doAll(stage, until, 60), killOne(stage)])
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
  await expectTold(stage, journal)
  expect(await expectPinned(stage)).toBeGreaterThan(0)
  await auto.close()
}, 180_000)
