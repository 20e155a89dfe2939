import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { closeInput } from '#lib/contracts/account'
import { closeAccount } from '#lib/services/account/close-account'
import { getClosing } from '#lib/services/account/get-closing'
import { addAlert } from '#lib/services/alerts/add-alert'
import { detachCards } from '#lib/services/billing/clean-up-stripe'
import { redeemCode } from '#lib/services/billing/redeem-code'
import type { SignedInUser } from '#lib/services/ports'
import { createHolders } from '#lib/store/holders'
import { disputeObject, refundObject } from '../fakes/stripe-objects.ts'
import { balanceOf } from '../support/fixtures.ts'
import { expectBalancedBooks, holdOrThrow, openLedger, settlementOf } from '../support/ledger.ts'
import { type AutoTopUpWorld, openAutoTopUpWorld } from './auto-top-up-world.ts'
import { UNIT } from './billing-world.ts'
import { NOW, PASSWORD } from './console-world.ts'

// Accounts that are closed while money is in transit, and what remains of their people afterwards.
let auto: AutoTopUpWorld
beforeAll(async () => {
  auto = await openAutoTopUpWorld()
})
afterAll(() => auto.close())
beforeEach(async () => {
  const { billing } = auto
  billing.stripe.cards.bank = 'pays'
  billing.stripe.down = false
  billing.world.clock.at = NOW
  billing.world.errors.length = 0
  await billing.world.pool.query(
    "update auto_top_up set enabled = false; update payment set state = 'expired' where state = 'open'",
  )
})
afterEach(() => expectBalancedBooks(auto.billing.world.pool))

const sql = async (text: string, values: unknown[] = []): Promise<Record<string, unknown>[]> =>
  (await auto.billing.world.pool.query(text, values)).rows
const balance = async (user: SignedInUser) => (await balanceOf(auto.billing.world.pool, user.accountId)).balance
async function close(user: SignedInUser, overrides: object = {}): Promise<void> {
  const ctx = auto.billing.world.as(user)
  const { balanceNano } = await getClosing({ ctx })
  const forfeitNano = balanceNano === '0' ? null : balanceNano
  await closeAccount({ ctx, input: closeInput.parse({ email: user.email, password: PASSWORD, forfeitNano, ...overrides }) })
}

describe('a payment of an account that is being closed', () => {
  it('keeps it from being closed while a card is being charged for it', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    await auto.run()
    await expect(close(user)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('payment') })
    const [intent] = auto.intents(user)
    expect(await auto.deliverEvent(intent as object)).toBe(200)
    expect(await balance(user)).toBe(22n * UNIT)
    await close(user)
    expect(await balance(user)).toBe(0n)
  })

  it('keeps it from being closed while a bank transfers it, and not after it failed', async () => {
    const { user, session } = await auto.billing.startPayment(10)
    await auto.billing.send('checkout.session.completed', { ...session, payment_status: 'unpaid' })
    await expect(close(user)).rejects.toMatchObject({ code: 'conflict' })
    await auto.billing.send('checkout.session.async_payment_failed', { ...session, payment_status: 'unpaid' })
    await close(user)
  })

  it('is not begun by another process while it is closed', async () => {
    const user = await auto.createPayer(2)
    await auto.enable(user)
    const outcomes = await Promise.allSettled([close(user), auto.run(), auto.run(), auto.run()])
    const wasClosed = outcomes[0]?.status === 'fulfilled'
    expect(auto.intents(user)).toHaveLength(wasClosed ? 0 : 1)
    auto.advanceClock(60_000)
    expect(await auto.run()).toBe(0)
  })

  it('does not leave automatic top-up switched on that was asked for meanwhile', async () => {
    const user = await auto.createPayer(2)
    const { pool, console: app } = auto.billing.world
    const closingClient = await pool.connect()
    try {
      await closingClient.query('begin')
      await closingClient.query('select from account where id = $1 for update', [user.accountId])
      const plan = { thresholdNano: UNIT, amountNano: 5n * UNIT, ceilingNano: 50n * UNIT }
      const pending = app.ports.autoTopUps.set(user.accountId, plan, NOW)
      const waitingQuery =
        "select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%insert into auto_top_up%'"
      await expect.poll(() => sql(waitingQuery)).toHaveLength(1)
      await closingClient.query('update account set closed_at = now() where id = $1', [user.accountId])
      await closingClient.query('commit')
      expect(await pending).toBe(false)
    } finally {
      closingClient.release()
    }
    expect(await sql('select 1 from auto_top_up where account_id = $1', [user.accountId])).toEqual([])
  })

  it('that is paid at its page afterwards is credited, and the operator is told to give it back', async () => {
    const { user, session } = await auto.billing.startPayment(7, undefined, true)
    await close(user)
    const paidSession = auto.billing.stripe.pay(session.id)
    const answers = await Promise.all([1, 2, 3].map(() => auto.billing.send('checkout.session.completed', paidSession)))
    expect(answers).toEqual([200, 200, 200])
    expect(await balance(user)).toBe(7n * UNIT)
    const loggedErrors = auto.billing.world.errors.filter((fields) => JSON.stringify(fields).includes(user.accountId))
    expect(loggedErrors).toHaveLength(1)
    expect(await sql('select 1 from account where id = $1 and suspended_at is not null', [user.accountId])).toHaveLength(1)
    // The Stripe customer is not written down again, the card is detached, and no mail is sent.
    expect(await sql('select 1 from billing_account where account_id = $1', [user.accountId])).toEqual([])
    await detachCards({ ctx: auto.billing.world.console.ports })
    expect(await sql('select 1 from saved_card where account_id = $1', [user.accountId])).toEqual([])
    expect(await createHolders(auto.billing.world.pool).find(user.accountId)).toBeNull()
    // Giving the money back is an ordinary refund at Stripe.
    await auto.billing.send('refund.created', refundObject(`re_${randomUUID()}`, String(paidSession.payment_intent), 700))
    expect(await balance(user)).toBe(0n)
  })

  it('that is disputed afterwards is a debt, and the account stays closed when that is paid', async () => {
    const { user, session } = await auto.billing.completePayment(10)
    await close(user)
    const id = `dp_${randomUUID()}`
    await auto.billing.send('charge.dispute.created', disputeObject(id, String(session.payment_intent), 1000))
    expect((await balanceOf(auto.billing.world.pool, user.accountId)).owed).toBe(10n * UNIT)
    await auto.billing.send('charge.dispute.closed', {
      ...disputeObject(id, String(session.payment_intent), 1000),
      status: 'won',
    })
    expect((await balanceOf(auto.billing.world.pool, user.accountId)).owed).toBe(0n)
    expect(await sql('select suspended_reason from account where id = $1', [user.accountId])).toEqual([
      { suspended_reason: 'closed' },
    ])
  })

  it('does not stand in the way of its own credit: both are done, whichever comes first', async () => {
    for (let round = 0; round < 6; round++) {
      const { user, session } = await auto.billing.startPayment(3)
      const paidSession = auto.billing.stripe.pay(session.id)
      const [status, closed] = await Promise.all([
        auto.billing.send('checkout.session.completed', paidSession),
        close(user).then(
          () => 'closed',
          (error: { code: string }) => error.code,
        ),
      ])
      expect([status, closed]).toEqual([200, expect.stringMatching(/^(closed|conflict)$/)])
      // Always credited, and given up only if closing saw the money and gave it up.
      expect([0n, 3n * UNIT]).toContain(await balance(user))
      expect((await auto.billing.entries(user)).filter(({ kind }) => kind === 'top_up')).toHaveLength(1)
    }
  })
})

describe('an account whose money is lent or being spent while it is closed', () => {
  it('waits for what is running, gets back what is merely lent, and lends nothing afterwards', async () => {
    const { world } = auto.billing
    const { user } = await auto.billing.completePayment(20)
    const ledger = await openLedger(world.pool, world.url)
    const listener = await world.pool.connect()
    await listener.query('listen tollgate_recall')
    listener.on('notification', ({ payload }) => ledger.wallet.recall(payload ?? ''))
    const hold = await holdOrThrow(ledger, user.accountId, 6n * UNIT)
    await expect(close(user)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('still in progress') })
    expect(await sql('select 1 from account where id = $1 and closed_at is null', [user.accountId])).toHaveLength(1)
    await ledger.committer.post(settlementOf(user.accountId, hold, 5n * UNIT))
    hold.end(5n * UNIT)
    expect((await balanceOf(world.pool, user.accountId)).leased).toBeGreaterThan(0n)
    await close(user)
    expect(await balanceOf(world.pool, user.accountId)).toMatchObject({ balance: 0n, leased: 0n })
    expect(await ledger.wallet.hold({ accountId: user.accountId, keyId: 'key_test', budgets: [], amount: 1n })).toMatchObject({
      refused: 'balance',
    })
    listener.release(true)
    await ledger.close()
  })

  it('is given up exactly as it was seen: a charge or a credit in between is asked about again', async () => {
    const { user } = await auto.billing.completePayment(5)
    const closeOptions = { forfeitNano: String(5n * UNIT) }
    await auto.spend(user, 1)
    await expect(close(user, closeOptions)).rejects.toMatchObject({ code: 'conflict', field: 'forfeitNano' })
    await auto.billing.completePayment(1, user)
    await close(user, closeOptions)
    expect(await balance(user)).toBe(0n)
  })

  it('spends no code: one that comes too late stays good', async () => {
    const { world } = auto.billing
    const { codes, codeHashes } = world.console.ports
    const [user, other] = [await world.newUser(), await world.newUser()]
    const { code, hmac: codeHmac, hint } = codeHashes.create()
    const newCode = { codeHmac, hint, amountNano: 9n * UNIT, note: '', at: NOW, expiresAt: null, mintToken: 'x', mintPlace: 0 }
    await codes.add([{ id: `code_${randomUUID()}`, ...newCode }], { userId: 'test', email: 'test' })
    await close(user)
    await expect(redeemCode({ ctx: world.as(user), input: { code } })).rejects.toMatchObject({ code: 'conflict' })
    expect(await balance(user)).toBe(0n)
    expect(await redeemCode({ ctx: world.as(other), input: { code } })).toMatchObject({ amountNano: String(9n * UNIT) })
  })
})

describe('what is left of the people of a closed account', () => {
  const USER_TABLES = ['user_session', 'one_time_token', 'identity', 'second_step', 'recovery_code', 'saved_view']
  const ACCOUNT_TABLES = [
    'webhook_endpoint',
    'webhook_event',
    'webhook_delivery',
    'spending_alert',
    'notice',
    'auto_top_up',
    'mail_wish',
    'group_account',
  ]

  async function insertPersonalData(user: SignedInUser): Promise<void> {
    const { userId: id, accountId } = user
    await sql(
      "insert into one_time_token values (decode(md5($1), 'hex'), 'verify', $1, 'x@example.com', now(), now() + interval '1 day')",
      [id],
    )
    await sql("insert into identity values ('github', $1, $1, now())", [id])
    await sql("insert into second_step (user_id, secret_sealed, created_at) values ($1, 'x', now())", [id])
    await sql("insert into recovery_code values ($1, 'x')", [id])
    await sql("insert into saved_view values ('view_' || $1, $1, 'Mine', 'q=secret', now())", [id])
    await sql('insert into mail_wish (account_id) values ($1)', [accountId])
    await sql("insert into group_account (group_id, account_id) values ('grp_main', $1)", [accountId])
    await sql(
      `insert into webhook_endpoint (id, account_id, url, events, secret_sealed, created_at)
       values ('whe_' || $1, $1, 'https://me.example.com/', '{spending.alert}', 'x', now())`,
      [accountId],
    )
    await addAlert({ ctx: auto.billing.world.as(user), input: { keyId: null, period: 'day', amountNano: '1' } })
    await auto.spend(user, 1)
    await auto.billing.world.console.ports.spendingAlerts.raise(NOW)
    await sql(
      `insert into api_key (id, account_id, group_id, name, secret_hmac, hint) values ('key_' || $1, $1, 'grp_main', 'Mine', decode(md5($1), 'hex'), 'abcd')`,
      [accountId],
    )
    await sql(
      "insert into former_secret values (decode(md5($1 || 'old'), 'hex'), 'key_' || $1, 'efgh', now() + interval '1 day')",
      [accountId],
    )
  }
  const countRows = async (user: SignedInUser): Promise<Record<string, number>> =>
    Object.fromEntries(
      await Promise.all([
        ...USER_TABLES.map(async (table) => [
          table,
          (await sql(`select 1 from ${table} where user_id = $1`, [user.userId])).length,
        ]),
        ...ACCOUNT_TABLES.map(async (table) => [
          table,
          (await sql(`select 1 from ${table} where account_id = $1`, [user.accountId])).length,
        ]),
        ['former_secret', (await sql("select 1 from former_secret where key_id = 'key_' || $1", [user.accountId])).length],
        [
          'saved_card',
          (await sql('select 1 from saved_card where account_id = $1 and removed_at is null', [user.accountId])).length,
        ],
      ]),
    )

  it('is nothing, in any table that is about them; the card is let go of at Stripe', async () => {
    const user = await auto.createPayer(10)
    await auto.enable(user)
    await insertPersonalData(user)
    const countsBefore = await countRows(user)
    for (const [table, rows] of Object.entries(countsBefore)) expect([table, rows > 0]).toEqual([table, true])
    const card = await auto.billing.world.console.ports.cards.find(user.accountId)
    await close(user)
    for (const [table, rows] of Object.entries(await countRows(user))) expect([table, rows]).toEqual([table, 0])
    expect(
      await auto.billing.world.console.ports.identities.find({ provider: 'github', providerAccountId: user.userId }),
    ).toBeNull()
    await detachCards({ ctx: auto.billing.world.console.ports })
    expect(auto.billing.stripe.cards.methods.get(card?.methodId ?? '')?.customer).toBeNull()
    expect(await sql('select 1 from saved_card where account_id = $1', [user.accountId])).toEqual([])
    expect(
      await sql('select email_verified_at, password_hash is null as open from app_user where id = $1', [user.userId]),
    ).toEqual([{ email_verified_at: null, open: false }])
  })

  it('names every table that is about a user or an account, so that a new one is not forgotten', async () => {
    const rows = await sql(
      `select distinct table_name, column_name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where table_schema = 'public' and t.table_type = 'BASE TABLE' and column_name in ('account_id', 'user_id', 'key_id') and table_name !~ '_[0-9]{6,8}$' and table_name !~ '_rest$'`,
    )
    // The books and what they are made of stay. So do keys and users, without names.
    const keptTables = [
      'app_user',
      'api_key',
      'purse',
      'entry',
      'payment',
      'usage_record',
      'usage_hour',
      'usage_day',
      'usage_month',
      'task',
    ]
    const source = await import('node:fs').then(({ readFileSync }) =>
      readFileSync(new URL('../../lib/store/console/closing.ts', import.meta.url), 'utf8'),
    )
    const uncoveredTables = [...new Set(rows.map(({ table_name }) => table_name as string))].filter(
      (table) => !keptTables.includes(table) && !new RegExp(`\\b${table}\\b`).test(source),
    )
    // Deliveries are deleted with their endpoints.
    expect(uncoveredTables.filter((table) => table !== 'webhook_delivery')).toEqual([])
  })
})

describe('who has no password', () => {
  it('closes the account with its address alone', async () => {
    const user = await auto.billing.world.newUser()
    await sql('update app_user set password_hash = null where id = $1', [user.userId])
    expect(await getClosing({ ctx: auto.billing.world.as(user) })).toMatchObject({ hasPassword: false })
    await expect(close(user, { email: 'other@example.com' })).rejects.toMatchObject({ field: 'email' })
    await close(user, { password: undefined })
    expect(await sql('select 1 from account where id = $1 and closed_at is not null', [user.accountId])).toHaveLength(1)
  })

  it('is another case than who does not give theirs', async () => {
    const user = await auto.billing.world.newUser()
    await expect(close(user, { password: undefined })).rejects.toMatchObject({ code: 'wrong_password', field: 'password' })
    expect(await sql('select 1 from account where id = $1 and closed_at is not null', [user.accountId])).toEqual([])
  })
})
