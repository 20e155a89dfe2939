import { afterAll, beforeAll, expect, it } from 'vitest'
import { createKeyInput } from '#lib/contracts/keys'
import { closeAccount } from '#lib/services/account/close-account'
import { addAlert } from '#lib/services/alerts/add-alert'
import { saveView } from '#lib/services/history/save-view'
import { setHistorySettings } from '#lib/services/history/set-history-settings'
import { createKey } from '#lib/services/keys/create-key'
import { setEmailPreferences } from '#lib/services/mail/email-preferences'
import type { SignedInUser } from '#lib/services/ports'
import { lockRows } from '../support/locks.ts'
import { type ConsoleWorld, NOW, openConsoleWorld, PASSWORD } from './console-world.ts'

// Verbs that were called before an account was closed and reach the database afterwards.
let world: ConsoleWorld
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())

const sql = async (text: string, values: unknown[] = []) => (await world.pool.query(text, values)).rows
const LATER = new Date(NOW.getTime() + 3_600_000)
const keyInputOf = (name: string) => createKeyInput.parse({ name, groupId: 'grp_main' })

/** Runs `late` while an account is being closed, when closing has locked everything and erased nothing yet. */
async function whileClosing<T>(user: SignedInUser, operation: () => Promise<T>): Promise<PromiseSettledResult<T>> {
  const { accountId } = user
  await sql(
    `insert into auto_top_up (account_id, enabled, threshold_nano, amount_nano, ceiling_nano, consented_at)
     values ($1, false, 1, 1, 1, now()) on conflict do nothing`,
    [accountId],
  )
  const lock = await lockRows(world.url, 'auto_top_up where account_id = $1', [accountId])
  const closing = closeAccount({
    ctx: world.as(user),
    input: { email: user.email, password: PASSWORD, forfeitNano: null },
  })
  let outcome: Promise<[PromiseSettledResult<T>]>
  try {
    await lock.waitUntilBlockedCount(1)
    outcome = Promise.allSettled([operation()])
    await lock.waitUntilBlockedCount(2)
  } finally {
    await lock.release()
    await closing
  }
  const [settled] = await outcome
  return settled
}

type Ports = ReturnType<ConsoleWorld['as']>

it.each<[what: string, late: (ctx: Ports) => Promise<unknown>, left: string]>([
  ['a key', (ctx) => createKey({ ctx, input: keyInputOf('Late') }), 'api_key where account_id = $1 and revoked_at is null'],
  [
    'that history is kept',
    (ctx) => setHistorySettings({ ctx, input: { enabled: true, days: 30 } }),
    'account where id = $1 and history_enabled',
  ],
  ['a wish for mails', (ctx) => setEmailPreferences({ ctx, input: { receipts: false } }), 'mail_wish where account_id = $1'],
  [
    'an endpoint of webhooks',
    ({ webhooks, user: { accountId } }) => {
      const endpoint = { url: 'https://me.example.com/', description: '', events: [], secret: 'x' }
      return webhooks.create({ ...endpoint, id: `whe_${accountId}`, accountId, at: NOW }, 10)
    },
    'webhook_endpoint where account_id = $1',
  ],
  [
    'when a low balance is told',
    ({ billingAccounts, user: { accountId } }) => billingAccounts.setLowBalance(accountId, 1n),
    'billing_account where account_id = $1',
  ],
  [
    'a spending alert',
    (ctx) => addAlert({ ctx, input: { keyId: null, period: 'day', amountNano: '1' } }),
    'spending_alert where account_id = $1',
  ],
  [
    'a payment',
    ({ payments, user: { accountId } }) => {
      const payment = { requestId: 'late', amountNano: 1n, amountMinor: 1n, currency: 'usd', saveCard: false }
      return payments.open({ ...payment, id: `pay_${accountId}`, accountId, at: NOW })
    },
    'payment where account_id = $1',
  ],
  [
    'a name',
    ({ userCredentials, user: { userId } }) => userCredentials.rename(userId, 'A Person'),
    "app_user where account_id = $1 and name = 'A Person'",
  ],
  [
    'a password',
    ({ userCredentials, user }) => userCredentials.setPassword(user.userId, 'a hash', user.sessionId, NOW),
    "app_user where account_id = $1 and password_hash = 'a hash'",
  ],
  [
    'a link for a new address',
    ({ oneTimeTokens, user: { userId } }) => {
      const link = { hash: Buffer.from(userId), kind: 'email' as const, email: 'private@example.com' }
      return oneTimeTokens.issue({ ...link, userId, at: NOW, expiresAt: LATER })
    },
    'one_time_token t join app_user u on u.id = t.user_id where u.account_id = $1',
  ],
  [
    'a session',
    ({ userSessions, user: { userId } }) => {
      const visitor = { address: '203.0.113.7', browser: 'Firefox', system: 'Linux' }
      return userSessions.open({ ...visitor, id: `ses_${userId}`, userId, at: NOW, expiresAt: LATER })
    },
    'user_session s join app_user u on u.id = s.user_id where u.account_id = $1',
  ],
  [
    'who somebody is at GitHub',
    ({ identities, user: { userId } }) => identities.link({ provider: 'github', providerAccountId: userId }, userId, NOW),
    'identity i join app_user u on u.id = i.user_id where u.account_id = $1',
  ],
  [
    'an authenticator app',
    ({ secondSteps, user: { userId } }) => secondSteps.start(userId, 'a secret', NOW),
    'second_step s join app_user u on u.id = s.user_id where u.account_id = $1',
  ],
  [
    'recovery codes',
    ({ secondSteps, user: { userId } }) => secondSteps.replaceRecovery(userId, [Buffer.from('a code')]),
    'recovery_code r join app_user u on u.id = r.user_id where u.account_id = $1',
  ],
  [
    'a saved view',
    (ctx) => saveView({ ctx, input: { name: 'Mine', query: '' } }),
    'saved_view v join app_user u on u.id = v.user_id where u.account_id = $1',
  ],
])('%s is not left of an account that was closed meanwhile', async (_, operation, leftoverQuery) => {
  const user = await world.newUser()
  const outcome = await whileClosing(user, () => operation(world.as(user)))
  expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'account_closed' } })
  expect(await sql(`select 1 from ${leftoverQuery}`, [user.accountId])).toEqual([])
  // The same after closing has ended.
  await expect(operation(world.as(user))).rejects.toMatchObject({ code: 'account_closed' })
  expect(await sql(`select 1 from ${leftoverQuery}`, [user.accountId])).toEqual([])
})

it('whoever asked is told so, in the words of the console', async () => {
  const user = await world.newUser()
  const route = world.routes.consoleRoute(createKey, { input: createKeyInput })
  const answer = () => world.call(route, { method: 'POST', as: user, body: { name: 'Late', groupId: 'grp_main' } })
  const outcome = await whileClosing(user, answer)
  if (outcome.status === 'rejected') throw outcome.reason
  expect(outcome.value.status).toBe(409)
  expect(await outcome.value.json()).toEqual({ error: { code: 'conflict', message: 'This account has since been closed.' } })
  expect(world.errors).toEqual([])
})
