import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createKeyInput } from '#lib/contracts/keys'
import { changeEmail } from '#lib/services/account/change-email'
import { closeAccount } from '#lib/services/account/close-account'
import { exportAccount } from '#lib/services/account/export-account'
import { getClosing } from '#lib/services/account/get-closing'
import { addAlert } from '#lib/services/alerts/add-alert'
import { createEmailNotices } from '#lib/services/alerts/email-notices'
import { sendNotices } from '#lib/services/alerts/send-notices'
import { saveView } from '#lib/services/history/save-view'
import { createKey } from '#lib/services/keys/create-key'
import { getEmailPreferences, setEmailPreferences } from '#lib/services/mail/email-preferences'
import type { SignedInUser } from '#lib/services/ports'
import { confirmEmail } from '#lib/services/sign-in/confirm-email'
import { signIn } from '#lib/services/sign-in/sign-in'
import { signUp } from '#lib/services/sign-in/sign-up'
import { createWebhook } from '#lib/services/webhooks/create-webhook'
import { saveResponse } from '#lib/store/response-store'
import { expectBalancedBooks } from '../support/ledger.ts'
import { type ConsoleWorld, NOW, openConsoleWorld, PASSWORD } from './console-world.ts'
import { enableSecondStep, findLatestToken, markEmailVerified } from './sign-in-world.ts'

const UNIT = 1_000_000_000n

let world: ConsoleWorld
let user: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.newUser()
})

const sql = async (text: string, values: unknown[] = []) => (await world.pool.query(text, values)).rows
const count = async (table: string) =>
  Number((await sql(`select count(*) as n from ${table} where account_id = $1`, [user.accountId]))[0]?.n)
const credit = (amountNano: bigint) =>
  world.console.ports.purses.credit({
    ...{ id: `ent_${randomUUID()}`, accountId: user.accountId, kind: 'grant', amountNano, reason: 'test', actor: 'test' },
    at: NOW,
  })
const close = (input: Partial<Parameters<typeof closeAccount>[0]['input']> = {}) =>
  closeAccount({ ctx: world.as(user), input: { email: user.email, password: PASSWORD, forfeitNano: null, ...input } })
const insertHistory = (requestId: string, at = NOW) =>
  sql('insert into history (request_id, at, account_id, body) values ($1, $2, $3, $4)', [
    requestId,
    at,
    user.accountId,
    Buffer.from(JSON.stringify({ request: { messages: [{ role: 'user', content: 'a private word' }] }, answer: null })),
  ])
const makeKey = async () => createKey({ ctx: world.as(user), input: createKeyInput.parse({ name: 'Mine', groupId: 'grp_main' }) })
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

describe('closing an account', () => {
  it('revokes keys, ends sessions, erases what was said and who it was, and leaves the books balanced', async () => {
    await credit(5n * UNIT)
    const { key } = await makeKey()
    const requestId = await world.settle(user, { at: NOW, total: 2n * UNIT })
    await insertHistory(requestId)
    const hook = { url: 'https://hooks.example.com/', description: '', events: ['balance.low' as const] }
    await createWebhook({ ctx: world.as(user), input: hook })
    expect(await getClosing({ ctx: world.as(user) })).toEqual({
      email: user.email,
      balanceNano: String(3n * UNIT),
      owedNano: '0',
      heldNano: '0',
      heldTasks: 0,
      paying: false,
      keys: 1,
      hasPassword: true,
      signInAgain: false,
    })
    await close({ forfeitNano: String(3n * UNIT) })

    const [row] = await sql('select revoked_at, name from api_key where id = $1', [key.id])
    expect(row).toMatchObject({ name: 'Closed', revoked_at: expect.any(Date) })
    const changeRows = await sql("select 1 from change where (topic, ref) in (('key', $1), ('account', $2))", [
      key.id,
      user.accountId,
    ])
    expect(changeRows.length).toBeGreaterThanOrEqual(2)
    expect(await world.console.sessions.check({ sub: user.userId, sessionEpoch: user.sessionEpoch })).toBeNull()
    await expect(signIn({ ctx: world.guest(), input: { email: user.email, password: PASSWORD } })).rejects.toMatchObject({
      code: 'wrong_credentials',
    })
    for (const table of ['history', 'webhook_endpoint', 'billing_account'])
      expect([table, await count(table)]).toEqual([table, 0])
    const people = JSON.stringify(await sql('select email, name from app_user where account_id = $1', [user.accountId]))
    expect(people).not.toContain(user.email)

    // The ledger stays: the credit, the charge, and the amount given up.
    expect(await count('usage_record')).toBe(1)
    const entries = await sql('select kind, amount_nano from entry where account_id = $1 order by created_at, id', [
      user.accountId,
    ])
    expect(entries.map(({ kind, amount_nano }) => [kind, amount_nano])).toEqual(
      expect.arrayContaining([
        ['grant', String(5n * UNIT)],
        ['deduction', String(-3n * UNIT)],
      ]),
    )
    await expectBalancedBooks(world.pool)
    // The address can be used for a new account.
    const signUpInput = { name: 'Again', email: user.email, password: PASSWORD }
    await signUp({ ctx: world.guest('198.51.100.77'), input: signUpInput })
  })

  it.each([
    ['another address', { email: 'other@example.com' }, { code: 'invalid_input', field: 'email' }],
    ['a wrong password', { password: 'not the password' }, { code: 'wrong_password', field: 'password' }],
    ['nothing given up', {}, { code: 'conflict', field: 'forfeitNano' }],
    ['less given up than there is', { forfeitNano: '1' }, { code: 'conflict', field: 'forfeitNano' }],
  ])('is refused with %s, and changes nothing', async (_, input, refusal) => {
    await credit(UNIT)
    await makeKey()
    await expect(close(input)).rejects.toMatchObject(refusal)
    expect(await sql('select revoked_at from api_key where account_id = $1', [user.accountId])).toEqual([{ revoked_at: null }])
    expect(await world.console.ports.purses.sums(user.accountId)).toMatchObject({ balanceNano: UNIT })
  })

  it('is refused while money is owed, or held by what is running', async () => {
    await sql('update purse set owed = 5 where id = $1', [user.accountId])
    await expect(close()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('owes') })
    await sql('update purse set owed = 0 where id = $1', [user.accountId])
    await credit(UNIT)
    await sql('update purse set leased = 7 where id = $1', [user.accountId])
    await expect(close({ forfeitNano: String(UNIT) })).rejects.toMatchObject({
      message: expect.stringContaining('still in progress'),
    })
    await sql('update purse set leased = 0 where id = $1', [user.accountId])
    await close({ forfeitNano: String(UNIT) })
  })

  it('happens once of two that are asked for at once', async () => {
    await credit(UNIT)
    const outcomes = await Promise.allSettled([close({ forfeitNano: String(UNIT) }), close({ forfeitNano: String(UNIT) })])
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    await expectBalancedBooks(world.pool)
  })

  it('leaves no way in, no card to pay with, and no word of from where it was used', async () => {
    const linked = { provider: 'github' as const, providerAccountId: `gh-${user.userId}` }
    await world.console.ports.identities.link(linked, user.userId, NOW)
    await markEmailVerified(world, user)
    await enableSecondStep(world, user)
    const newEmail = `moved-${user.email}`
    await changeEmail({ ctx: world.as(user), input: { email: newEmail, password: PASSWORD } })
    const emailToken = await findLatestToken(world, newEmail)
    const card = { methodId: `pm_${user.userId}`, customerId: 'cus_1', brand: 'visa', last4: '4242', expMonth: 1, expYear: 2030 }
    await world.console.ports.cards.save(user.accountId, card, NOW)
    const plan = { thresholdNano: UNIT, amountNano: 5n * UNIT, ceilingNano: 50n * UNIT }
    expect(await world.console.ports.autoTopUps.set(user.accountId, plan, NOW)).toBe(true)
    await addAlert({ ctx: world.as(user), input: { keyId: null, period: 'day', amountNano: String(UNIT) } })
    await saveView({ ctx: world.as(user), input: { name: 'Mine', query: 'status=error' } })
    await close()

    await expect(confirmEmail({ ctx: world.guest(), input: { token: emailToken } })).rejects.toMatchObject({ code: 'bad_link' })
    expect(await world.console.ports.identities.find(linked)).toBeNull()
    for (const table of ['identity', 'second_step', 'recovery_code', 'one_time_token', 'user_session', 'saved_view']) {
      const rows = await sql(`select 1 from ${table} where user_id = $1`, [user.userId])
      expect([table, rows.length]).toEqual([table, 0])
    }
    for (const table of ['spending_alert', 'auto_top_up']) expect([table, await count(table)]).toEqual([table, 0])
    expect(await world.console.ports.cards.find(user.accountId)).toBeNull()
    // The card is listed until Stripe has detached it.
    expect(await world.console.ports.cards.listToDetach()).toContain(card.methodId)
  })

  it('needs no password of who has none, and the address all the same', async () => {
    await sql('update app_user set password_hash = null where id = $1', [user.userId])
    expect(await getClosing({ ctx: world.as(user) })).toMatchObject({ hasPassword: false })
    await expect(close({ email: 'other@example.com', password: undefined })).rejects.toMatchObject({ field: 'email' })
    // A session left open somewhere is not enough.
    await sql("update user_session set created_at = created_at - interval '16 minutes' where user_id = $1", [user.userId])
    expect(await getClosing({ ctx: world.as(user) })).toMatchObject({ signInAgain: true })
    await expect(close({ password: undefined })).rejects.toMatchObject({ code: 'conflict' })
    await sql("update user_session set created_at = created_at + interval '16 minutes' where user_id = $1", [user.userId])
    expect(await getClosing({ ctx: world.as(user) })).toMatchObject({ signInAgain: false })
    await close({ password: undefined })
    expect(await sql('select 1 from account where id = $1 and closed_at is not null', [user.accountId])).toHaveLength(1)
  })

  it('is not for those who run the gateway, and its password cannot be guessed without end', async () => {
    const operator = await world.newUser('operator')
    const refusedClosing = closeAccount({
      ctx: world.as(operator),
      input: { email: operator.email, password: PASSWORD, forfeitNano: null },
    })
    await expect(refusedClosing).rejects.toMatchObject({ code: 'not_allowed' })
    for (let tries = 0; tries < 10; tries++) await close({ password: 'guess' }).catch(() => undefined)
    await expect(close()).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  })
})

describe('the export', () => {
  it('has everything of the account, nothing of another one, no secret, and ends with a line that says so', async () => {
    const other = await world.newUser()
    const foreignRequestId = await world.settle(other, { at: NOW })
    await credit(7n * UNIT)
    const { key, secret } = await makeKey()
    const ids = new Set<string>()
    const chargedRequest = { at: NOW, total: UNIT, keyId: key.id }
    for (const at of [NOW, new Date('2026-10-20T00:00:00Z')]) ids.add(await world.settle(user, { ...chargedRequest, at }))
    for (let request = 0; request < 205; request++)
      ids.add(await world.settle(user, { at: new Date(NOW.getTime() - request * 1000), total: 1n }))
    // Histories are kept for thirty days, counted by the database's clock.
    const currentTime = new Date()
    const recentRequestId = await world.settle(user, { at: currentTime })
    await insertHistory(recentRequestId, currentTime)
    const { name, chunks } = await exportAccount({ ctx: world.as(user) })
    expect(name).toBe('tollgate-2026-11-20.jsonl')
    let text = ''
    for await (const chunk of chunks) text += chunk
    const lines = linesOf(text)
    expect(lines[0]).toMatchObject({ type: 'profile', email: user.email })
    expect(lines.at(-1)).toEqual({ type: 'end' })
    const of = (type: string) => lines.filter((line) => line.type === type)
    expect(of('key')).toMatchObject([
      { id: key.id, name: 'Mine', spentNano: String(2n * UNIT), spentMonthNano: String(UNIT), requests: 2 },
    ])
    expect(of('transaction')).toMatchObject([{ kind: 'grant', amountNano: String(7n * UNIT) }])
    expect(new Set(of('request').map(({ id }) => id))).toEqual(new Set([...ids, recentRequestId]))
    expect(of('request').find(({ id }) => id === recentRequestId).history).toMatchObject({
      request: { messages: [{ content: 'a private word' }] },
    })
    // What a request cost the operator is not part of the export.
    for (const forbiddenText of ['vendorCost', secret, foreignRequestId, other.email, 'scrypt$'])
      expect(text).not.toContain(forbiddenText)
  })

  it('has what was set, who is signed in where, conversations, and what was sent to webhooks', async () => {
    const { ports } = world.console
    const { accountId } = user
    const as = world.as(user)
    const { key } = await makeKey()
    await addAlert({ ctx: as, input: { keyId: key.id, period: 'day', amountNano: String(UNIT) } })
    await saveView({ ctx: as, input: { name: 'Errors', query: 'status=error' } })
    const card = {
      methodId: `pm_export_${accountId}`,
      customerId: 'cus_export',
      brand: 'visa',
      last4: '4242',
      expMonth: 8,
      expYear: 2030,
    }
    await ports.cards.save(accountId, card, NOW)
    await ports.autoTopUps.set(accountId, { thresholdNano: UNIT, amountNano: 5n * UNIT, ceilingNano: 50n * UNIT }, NOW)
    const hook = { url: 'https://hooks.example.com/', description: '', events: ['balance.low' as const] }
    const createdWebhook = await createWebhook({ ctx: as, input: hook })
    for (let source = 0; source < 201; source++)
      await ports.webhooks.emit({ accountId, type: 'balance.low', source: String(source), data: {} })
    const conversation = { accountId, response: { output: ['a private answer'] }, input: [{ content: 'a private question' }] }
    // Two responses of the same moment. The first has expired, but is kept as long as the second continues it.
    const [first, second] = ['resp_1', 'resp_2'].map((id) => `${id}_${accountId}`)
    for (const [id, previousId] of [
      [first ?? '', null],
      [second ?? '', first ?? ''],
    ] as const)
      await saveResponse(world.pool, { ...conversation, id, previousId, at: NOW }, 30)
    await sql("update stored_response set expires_at = now() - interval '1 hour' where id = $1", [first])
    await saveResponse(
      world.pool,
      { ...conversation, accountId: (await world.newUser()).accountId, id: 'resp_foreign', previousId: null, at: NOW },
      30,
    )

    let text = ''
    for await (const chunk of (await exportAccount({ ctx: as })).chunks) text += chunk
    const lines = linesOf(text)
    const of = (type: string) => lines.filter((line) => line.type === type)
    expect(of('spending_alert')).toMatchObject([{ keyId: key.id, period: 'day', amountNano: String(UNIT) }])
    expect(of('view')).toMatchObject([{ name: 'Errors', query: 'status=error' }])
    expect(of('card')).toEqual([{ type: 'card', brand: 'visa', last4: '4242', expMonth: 8, expYear: 2030 }])
    expect(of('auto_top_up')).toMatchObject([{ enabled: true, amountNano: String(5n * UNIT), ceilingNano: String(50n * UNIT) }])
    expect(of('webhook')).toMatchObject([{ id: createdWebhook.webhook.id, url: hook.url }])
    expect(of('webhook_delivery')).toHaveLength(201)
    expect(new Set(of('webhook_delivery').map(({ id }) => id)).size).toBe(201)
    expect(of('webhook_delivery')[0]).toMatchObject({ webhookId: createdWebhook.webhook.id, event: 'balance.low', attempts: [] })
    expect(of('sign_in')).toMatchObject([{ emailVerified: false, hasPassword: true, secondStep: null, identities: [] }])
    expect(of('session')).toMatchObject([{ current: true, address: expect.any(String), lastSeenAt: expect.any(String) }])
    expect(of('response')).toMatchObject([
      { id: second, previousId: first, response: conversation.response, input: conversation.input },
      { id: first, previousId: null },
    ])
    for (const forbiddenText of [createdWebhook.secret, 'pm_export', 'cus_export', 'resp_foreign', as.user.sessionId, 'scrypt$'])
      expect(text).not.toContain(forbiddenText)
  })

  it('has every key there ever was', async () => {
    await sql(
      `insert into api_key (id, account_id, group_id, name, secret_hmac, hint, revoked_at)
       select 'key_' || $1::text || n, $1::text, 'grp_main', 'Old', decode(md5($1::text || n), 'hex'), 'sk-tg-…' || n, now()
         from generate_series(1001, 1501) n`,
      [user.accountId],
    )
    let text = ''
    for await (const chunk of (await exportAccount({ ctx: world.as(user) })).chunks) text += chunk
    const keys = linesOf(text).filter((line) => line.type === 'key')
    expect(keys).toHaveLength(501)
    expect(new Set(keys.map(({ id }) => id)).size).toBe(501)
  })

  it('reads no further than somebody takes it', async () => {
    for (let request = 0; request < 5; request++) await world.settle(user, { at: NOW })
    let findCalls = 0
    const ports = world.as(user)
    const requests = {
      ...ports.requests,
      find(accountId: string, id: string) {
        findCalls++
        return ports.requests.find(accountId, id)
      },
    }
    const { chunks } = await exportAccount({ ctx: { ...ports, requests } })
    await chunks.next()
    await chunks.return(undefined)
    expect(findCalls).toBeLessThan(2)
  })
})

describe('mails', () => {
  it('are all wanted until somebody says otherwise, and who wants none of low balances gets none', async () => {
    expect(await getEmailPreferences({ ctx: world.as(user) })).toEqual({ lowBalance: true, receipts: true, alerts: true })
    const preferences = { lowBalance: false, receipts: true, alerts: false }
    const set = (input: object) => setEmailPreferences({ ctx: world.as(user), input })
    expect(await set({ lowBalance: false })).toEqual({ lowBalance: false, receipts: true, alerts: true })
    // One at a time: a preference that is not named keeps its value.
    expect(await set({ alerts: false })).toEqual(preferences)
    expect(await getEmailPreferences({ ctx: world.as(user) })).toEqual(preferences)
    const other = await world.newUser()
    for (const one of [user, other]) await world.console.ports.billingAccounts.setLowBalance(one.accountId, UNIT)
    const recipients: string[] = []
    const { ports } = world.console
    const mail = { send: async ({ to }: { to: string }) => void recipients.push(to) }
    const notices = createEmailNotices({
      mail,
      holders: ports.holders,
      preferences: ports.emailPreferences,
      billingUrl: () => '/billing',
      alertsUrl: () => '/alerts',
    })
    await ports.billingAccounts.markLowBalances(NOW)
    await sendNotices({ ctx: { ...ports, notices } })
    expect(recipients).toContain(other.email)
    expect(recipients).not.toContain(user.email)
    expect(await sql('select low_told_at from billing_account where account_id = $1', [user.accountId])).toMatchObject([
      { low_told_at: expect.any(Date) },
    ])
  })
})
