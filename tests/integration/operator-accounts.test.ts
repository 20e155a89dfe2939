import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { POST as changeName } from '#app/api/settings/profile/route'
import { moneyResult, operatorAccount } from '#lib/contracts/operator-accounts'
import type { SignedInUser } from '#lib/services/ports'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type ConsoleWorld, NOW, openConsoleWorld, provideConsole } from './console-world.ts'
import { createCaller, loadOperatorRoutes } from './operator-world.ts'

const routes = await loadOperatorRoutes()

const UNIT = 1_000_000_000n

let world: ConsoleWorld
let ada: SignedInUser
let call: ReturnType<typeof createCaller>
beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  ada = await world.newUser('operator')
  call = createCaller(world, routes)
})
afterAll(() => world.close())

const money = (units: bigint, more: object = {}) => ({
  token: randomUUID(),
  amountNano: String(units * UNIT),
  reason: 'A reason',
  ...more,
})
const give = (user: SignedInUser, body: object) => call('POST', `accounts/${user.accountId}/grant`, ada, body)
const take = (user: SignedInUser, body: object) => call('POST', `accounts/${user.accountId}/deduct`, ada, body)
const show = async (user: SignedInUser) => operatorAccount.parse((await call('GET', `accounts/${user.accountId}`, ada)).body)
const entries = async ({ accountId }: SignedInUser) =>
  (
    await world.pool.query('select kind, amount_nano, reason, actor from entry where account_id = $1 order by amount_nano desc', [
      accountId,
    ])
  ).rows
const logOf = async (id: string) =>
  (await world.pool.query('select verb, actor, before, after from audit_log where target_id = $1 order by id', [id])).rows
/** Makes an account owe, as after a refund of money that is already spent. */
const owe = async ({ accountId }: SignedInUser, units: bigint) => {
  const [id, amount] = [randomUUID(), String(units * UNIT)]
  await world.pool.query(
    `with paid as (
       insert into payment (id, account_id, request_id, state, amount_nano, amount_minor, currency, created_at, paid_at)
       values ('pay_' || $1, $2, $1, 'paid', $3, 1, 'usd', now(), now())
     ), told as (
       insert into stripe_event (id, type, payment_id, created_at)
       select $1 || type, type, 'pay_' || $1, now() from unnest(array['checkout.session.completed', 'refund.created']) type
     )
     insert into entry (id, account_id, kind, amount_nano, owed_nano, reason, actor, payment_id)
     values ('top_pay_' || $1, $2, 'top_up', $3, 0, 'x', 'x', 'pay_' || $1), ('ded_' || $1, $2, 'deduction', -$3::bigint, 0, 'x', 'x', null),
       ('ent_' || $1, $2, 'refund', -$3::bigint, $3, 'x', 'x', 'pay_' || $1)`,
    [id, accountId, amount],
  )
  await world.pool.query('update purse set owed = owed + $2 where id = $1', [accountId, amount])
}
/** Makes a holder whose account has this many units. */
async function holder(units = 0n): Promise<SignedInUser> {
  const user = await world.newUser()
  if (units > 0n) expect((await give(user, money(units))).status).toBe(200)
  return user
}

it('the page of an account shows its payments that have not ended', async () => {
  const user = await holder()
  await world.pool.query(
    `insert into payment (id, account_id, request_id, state, source, amount_nano, amount_minor, currency, session_id, customer_id,
       method_id, asked_at, created_at)
     values ('pay_w1', $1, 'w1', 'open', 'checkout', 5000000000, 500, 'usd', 'cs_w1', null, null, null, '2026-11-20T10:00:00Z'),
       ('pay_w2', $1, 'w2', 'open', 'checkout', 5000000000, 500, 'usd', null, null, null, null, '2026-11-20T11:00:00Z'),
       ('pay_w3', $1, 'w3', 'processing', 'auto', 7000000000, 700, 'usd', null, 'cus', 'pm', now(), '2026-11-20T12:00:00Z'),
       ('pay_w4', $1, 'w4', 'expired', 'checkout', 5000000000, 500, 'usd', 'cs_w4', null, null, null, '2026-11-20T13:00:00Z')`,
    [user.accountId],
  )
  expect((await show(user)).waitingPayments).toEqual([
    { id: 'pay_w3', state: 'processing', automatic: true, amountNano: String(7n * UNIT), createdAt: '2026-11-20T12:00:00.000Z' },
    { id: 'pay_w1', state: 'open', automatic: false, amountNano: String(5n * UNIT), createdAt: '2026-11-20T10:00:00.000Z' },
  ])
})

describe('a grant', () => {
  it('is an entry with its reason, in the balance and in the log', async () => {
    const user = await holder()
    const answer = await give(user, money(25n, { reason: 'Welcome' }))
    expect(moneyResult.parse(answer.body)).toEqual({ repeated: false, balanceNano: String(25n * UNIT), owedNano: '0' })
    expect(await entries(user)).toEqual([
      { kind: 'grant', amount_nano: String(25n * UNIT), reason: 'Welcome', actor: ada.userId },
    ])
    expect(await logOf(user.accountId)).toEqual([
      {
        verb: 'account.grant',
        actor: ada.email,
        before: null,
        after: { amount: '25', reason: 'Welcome', entry: expect.stringMatching(/^ent_op_/), balance: '25' },
      },
    ])
  })

  it('that is sent again, one after the other and at once, is booked and logged once', async () => {
    const user = await holder()
    const body = money(3n)
    const answers = await Promise.all([give(user, body), give(user, body), give(user, body)])
    const later = await give(user, body)
    expect([...answers, later].map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(answers.map((answer) => moneyResult.parse(answer.body).repeated).sort()).toEqual([false, true, true])
    expect(moneyResult.parse(later.body)).toMatchObject({ repeated: true, balanceNano: String(3n * UNIT) })
    expect(await entries(user)).toHaveLength(1)
    expect(await logOf(user.accountId)).toHaveLength(1)
  })

  it('whose token belongs to another one is refused', async () => {
    const [user, other] = [await holder(), await holder()]
    const body = money(3n)
    await give(user, body)
    for (const answer of [await give(user, { ...body, amountNano: '4' }), await give(other, body), await take(user, body)])
      expect(answer).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
    expect((await show(user)).balanceNano).toBe(String(3n * UNIT))
  })

  it('pays what is owed first', async () => {
    const user = await holder()
    await owe(user, 2n)
    expect((await give(user, money(5n))).body).toMatchObject({ balanceNano: String(3n * UNIT), owedNano: '0' })
  })

  it('goes to nobody who has closed their account', async () => {
    const user = await holder()
    await world.pool.query(
      `update account set closed_at = now(), suspended_at = now(), suspended_reason = 'closed' where id = $1`,
      [user.accountId],
    )
    expect(await give(user, money(5n))).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
    expect(await entries(user)).toEqual([])
    expect(await logOf(user.accountId)).toEqual([])
    expect((await show(user)).balanceNano).toBe('0')
  })

  it.each([
    [{ amountNano: '0' }, 'amountNano'],
    [{ amountNano: '-5' }, 'amountNano'],
    [{ amountNano: '1.5' }, 'amountNano'],
    [{ amountNano: '9999999999999999' }, 'amountNano'],
    [{ reason: ' ' }, 'reason'],
    [{ reason: 'two\nlines' }, 'reason'],
    [{ token: 'x' }, 'token'],
    [{ accountId: 'acc_other' }, 'accountId'],
  ])('with %j is refused, and the field is named', async (more, field) => {
    const answer = await give(ada, money(1n, more))
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'invalid_input', field } } })
  })

  it('of an account that is not there is not found', async () => {
    const bodies = { grant: money(1n), deduct: money(1n), suspend: { reason: 'A reason' }, resume: {} }
    for (const [verb, body] of Object.entries(bodies))
      expect(await call('POST', `accounts/acc_none/${verb}`, ada, body), verb).toMatchObject({ status: 404 })
  })
})

describe('a deduction', () => {
  it('is an entry that takes what is free', async () => {
    const user = await holder(10n)
    expect((await take(user, money(4n, { reason: 'Given twice' }))).body).toMatchObject({ balanceNano: String(6n * UNIT) })
    expect((await entries(user)).at(-1)).toEqual({
      kind: 'deduction',
      amount_nano: String(-4n * UNIT),
      reason: 'Given twice',
      actor: ada.userId,
    })
    expect((await logOf(user.accountId)).at(-1)).toMatchObject({ verb: 'account.deduct', after: { amount: '4', balance: '6' } })
  })

  it('takes nothing where less is free, and says how much is', async () => {
    const user = await holder(10n)
    await world.pool.query('update purse set leased = $2 where id = $1', [user.accountId, String(7n * UNIT)])
    const refused = await take(user, money(4n))
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_input', field: 'amountNano' } } })
    expect(JSON.stringify(refused.body)).toContain('Only $3.00 is available')
    expect((await show(user)).balanceNano).toBe(String(10n * UNIT))
    expect(await logOf(user.accountId)).toHaveLength(1)
    expect((await take(user, money(3n))).status).toBe(200)
    await world.pool.query('update purse set leased = 0 where id = $1', [user.accountId])
  })

  it('of two at once that fit only alone one is made', async () => {
    const user = await holder(10n)
    const answers = await Promise.all([1, 2, 3].map(() => take(user, money(6n))))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400])
    expect((await show(user)).balanceNano).toBe(String(4n * UNIT))
  })

  it('that is sent again is booked once, though nothing is free any more', async () => {
    const user = await holder(5n)
    const body = money(5n)
    const answers = await Promise.all([take(user, body), take(user, body)])
    expect([...answers, await take(user, body)].map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await entries(user)).map(({ kind }) => kind)).toEqual(['grant', 'deduction'])
    expect((await show(user)).balanceNano).toBe('0')
  })
})

it('only owners change the balance of an owner’s account, and of their own', async () => {
  const [owner, another, operator] = [await world.newUser('owner'), await world.newUser('owner'), await world.newUser('operator')]
  const book = (verb: 'grant' | 'deduct', target: SignedInUser, as: SignedInUser) =>
    call('POST', `accounts/${target.accountId}/${verb}`, as, money(1n))
  for (const target of [ada, owner])
    for (const verb of ['grant', 'deduct'] as const) {
      expect(await book(verb, target, ada)).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
      expect(await entries(target)).toEqual([])
      expect(await logOf(target.accountId)).toEqual([])
    }
  for (const [target, as] of [
    [owner, owner],
    [owner, another],
    [ada, owner],
    [operator, ada],
  ] as const)
    for (const verb of ['grant', 'deduct'] as const) expect((await book(verb, target, as)).status).toBe(200)
})

describe('a suspension', () => {
  const suspend = (user: SignedInUser, as = ada, reason = 'Sells our answers') =>
    call('POST', `accounts/${user.accountId}/suspend`, as, { reason })
  const resume = (user: SignedInUser, as = ada) => call('POST', `accounts/${user.accountId}/resume`, as, {})
  const changes = async (user: SignedInUser) =>
    (await world.pool.query(`select 1 from change where topic = 'account' and ref = $1`, [user.accountId])).rows.length

  it('holds with its reason, is told to every process, and ends', async () => {
    const user = await holder()
    expect((await suspend(user)).status).toBe(200)
    expect(await show(user)).toMatchObject({ state: 'suspended', suspendedReason: 'Sells our answers' })
    expect(await changes(user)).toBe(1)
    expect(await world.console.ports.accounts.suspension(user.accountId)).toEqual({ reason: 'Sells our answers' })
    expect((await suspend(user)).status).toBe(409)
    expect((await resume(user)).status).toBe(200)
    expect(await show(user)).toMatchObject({ state: 'active', suspendedReason: null, suspendedAt: null })
    expect(await changes(user)).toBe(2)
    expect((await resume(user)).status).toBe(409)
    expect((await logOf(user.accountId)).map(({ verb, before, after }) => ({ verb, before, after }))).toEqual([
      { verb: 'account.suspend', before: { suspended: null }, after: { suspended: 'Sells our answers' } },
      { verb: 'account.resume', before: { suspended: 'Sells our answers' }, after: { suspended: null } },
    ])
  })

  it('is made by one of two who come at once', async () => {
    const user = await holder()
    const answers = await Promise.all([suspend(user), suspend(user)])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  })

  it('does not end with a debt that is paid, nor a debt with it', async () => {
    const user = await holder()
    await world.pool.query(`update account set suspended_at = now(), suspended_reason = 'debt' where id = $1`, [user.accountId])
    await owe(user, 2n)
    expect((await resume(user)).status).toBe(409)
    expect((await suspend(user)).status).toBe(200)
    expect((await resume(user)).status).toBe(409)
    expect(await show(user)).toMatchObject({ state: 'suspended', suspendedReason: 'debt' })
    expect((await suspend(user)).status).toBe(200)
    await give(user, money(5n))
    expect(await show(user)).toMatchObject({ state: 'suspended', suspendedReason: 'Sells our answers', owedNano: '0' })
    expect((await resume(user)).status).toBe(200)
  })

  it('takes no reason of the books, nobody their own account, and only owners an owner’s', async () => {
    const user = await holder()
    for (const reason of ['debt', 'Closed', ''])
      expect(await suspend(user, ada, reason)).toMatchObject({ status: 400, body: { error: { field: 'reason' } } })
    expect((await suspend(ada)).status).toBe(403)
    const [owner, another] = [await world.newUser('owner'), await world.newUser('owner')]
    expect((await suspend(owner)).status).toBe(403)
    expect((await suspend(owner, another)).status).toBe(200)
    // Nor may anybody lift a suspension that others made for a reason.
    expect((await suspend(ada, owner)).status).toBe(200)
    for (const [target, actingUser] of [
      [ada, ada],
      [owner, owner],
      [owner, ada],
    ] as const) {
      expect((await resume(target, actingUser)).status).toBe(403)
      expect((await show(target)).state).toBe('suspended')
    }
    for (const target of [ada, owner]) expect((await resume(target, another)).status).toBe(200)
    expect((await show(user)).state).toBe('active')
  })
})

describe('one account', () => {
  it('shows its people, keys, usage, entries and requests, and no secret', async () => {
    const user = await holder(9n)
    const created = await world.call((await import('#app/api/keys/route')).POST, {
      method: 'POST',
      as: user,
      body: { name: 'Laptop', groupId: 'grp_main' },
    })
    const { secret, key } = (await created.json()) as { secret: string; key: { id: string; hint: string } }
    const charged = await world.settle(user, { at: NOW, total: 2n * UNIT })
    const account = await show(user)
    expect(account).toMatchObject({
      balanceNano: String(7n * UNIT),
      spentMonthNano: String(2n * UNIT),
      leasedNano: '0',
      owedNano: '0',
      people: [{ email: user.email, role: 'holder', secondStep: false, sessions: 1, lastSeenAt: expect.any(String) }],
      keys: [{ id: key.id, name: 'Laptop', hint: key.hint, state: 'active' }],
    })
    expect(account.groups.map(({ name }) => name)).toEqual(['main', 'another'])
    const parts = await Promise.all(
      ['usage', 'entries', 'requests', `request?request=${charged}`].map((part) =>
        call('GET', `accounts/${user.accountId}/${part}`, ada),
      ),
    )
    expect(parts.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(parts[0]?.body).toMatchObject({ totals: { nano: String(2n * UNIT), requests: 1 } })
    expect(parts[1]?.body).toMatchObject({ rows: [{ kind: 'grant' }], next: null })
    expect(parts[2]?.body).toMatchObject({ rows: [{ id: charged }] })
    expect(parts[3]?.body).toMatchObject({
      id: charged,
      chargedNano: String(2n * UNIT),
      receipt: { lines: [{ unit: 'output' }] },
    })
    const responseText = JSON.stringify([account, parts])
    expect(responseText).not.toContain(secret)
    for (const word of ['secret', 'hmac', 'password']) expect(responseText.toLowerCase()).not.toContain(word)
  })

  it('shows what a request cost, and never what was said in it', async () => {
    const user = await holder()
    const privateText = `a private word ${randomUUID()}`
    const id = await world.settle(user, { at: NOW, status: 400, outcome: 'refused', errorCode: 'x', errorText: privateText })
    const body = Buffer.from(JSON.stringify({ request: { messages: [privateText] }, answer: { text: privateText } }))
    await world.pool.query('insert into history (request_id, at, account_id, body) values ($1, $2, $3, $4)', [
      id,
      NOW,
      user.accountId,
      body,
    ])
    // The account holder sees it.
    const own = await world.call((await import('#app/api/requests/[id]/route')).GET, { as: user, params: { id } })
    expect(await own.text()).toContain(privateText)
    for (const path of ['', '/requests', '/entries', '/usage', `/request?request=${id}`]) {
      const seen = await call('GET', `accounts/${user.accountId}${path}`, ada)
      expect(seen.status, path).toBe(200)
      expect(JSON.stringify(seen.body), path).not.toContain(privateText)
    }
    // It cannot be searched for either, because a match would reveal what was said.
    for (const query of ['q=private&in=messages', 'q=private', 'search=private'])
      expect((await call('GET', `accounts/${user.accountId}/requests?${query}`, ada)).status).toBe(400)
    // Another account's request is not found under this account.
    const other = await holder()
    expect((await call('GET', `accounts/${other.accountId}/request?request=${id}`, ada)).status).toBe(404)
  })
})

it('the books add up after all of it', () => expectBalancedBooks(world.pool))

it('an account has the name that its holder took last', async () => {
  const user = await world.newUser()
  const name = `Renamed ${user.userId}`
  expect((await world.call(changeName, { method: 'POST', as: user, body: { name } })).status).toBe(200)
  expect(await show(user)).toMatchObject({ name })
  const { body } = await call('GET', `accounts?search=${encodeURIComponent(name)}`, ada)
  expect(body).toMatchObject({ rows: [{ id: user.accountId, name }] })
})
