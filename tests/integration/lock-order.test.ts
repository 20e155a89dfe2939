import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeAccount } from '#lib/services/account/close-account'
import { COMMAND_LINE_ID } from '#lib/services/operator/operator-ports'
import { createPlaygroundKey } from '#lib/services/playground/create-playground-key'
import type { SignedInUser } from '#lib/services/ports'
import { requestReset } from '#lib/services/sign-in/request-reset'
import { resetPassword } from '#lib/services/sign-in/reset-password'
import { expectBalancedBooks } from '../support/ledger.ts'
import { lockPurse, lockRows, type RowLock } from '../support/locks.ts'
import { type ConsoleWorld, openConsoleWorld, PASSWORD } from './console-world.ts'
import { findLatestToken, markEmailVerified } from './sign-in-world.ts'

// Everything that ends somebody's access locks the person, the sessions and the keys in this order. Of two such operations at the
// same time, one waits for the other, and they never wait for each other.
let world: ConsoleWorld
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(async () => {
  await expectBalancedBooks(world.pool)
  await world.close()
})

const NEW_PASSWORD = 'another horse battery'
const OPERATOR = { userId: 'usr_operator', email: 'operator@example.com' }

/** Makes somebody with a session, a playground key and a link to set a new password. */
async function person(): Promise<{ user: SignedInUser; token: string }> {
  const user = await world.newUser()
  await markEmailVerified(world, user)
  const { rows } = await world.pool.query('select id from user_session where user_id = $1', [user.userId])
  const baseCtx = world.as(user)
  const ctx = { ...baseCtx, user: { ...baseCtx.user, sessionId: rows[0].id as string } }
  await createPlaygroundKey({ ctx, input: { groupId: 'grp_main' } })
  await requestReset({ ctx: world.guest(`10.9.${user.email.length}.1`), input: { email: user.email } })
  return { user, token: await findLatestToken(world, user.email) }
}

type PersonWithToken = Awaited<ReturnType<typeof person>>
const close = ({ user }: PersonWithToken) =>
  closeAccount({ ctx: world.as(user), input: { email: user.email, password: PASSWORD, forfeitNano: null } })
const signOut = ({ user }: PersonWithToken) => world.console.ports.operatorAccounts.signOut(OPERATOR, user.userId, world.clock.at)
const resetStep = async ({ user }: PersonWithToken) => {
  await world.pool.query(
    `insert into second_step (user_id, secret_sealed, created_at, confirmed_at) values ($1, '\\x00', now(), now())`,
    [user.userId],
  )
  const { operatorAccounts } = world.console.ports
  return operatorAccounts.resetSecondStep({ userId: COMMAND_LINE_ID, email: '' }, user.userId, world.clock.at)
}
const reset = ({ token }: PersonWithToken) => resetPassword({ ctx: world.guest(), input: { token, password: NEW_PASSWORD } })
const newPassword = ({ user }: PersonWithToken) =>
  world.console.ports.userCredentials.setPassword(user.userId, 'a hash', 'ses_none', world.clock.at)

const lockPersonPurse = ({ user }: PersonWithToken) => lockPurse(world.url, user.accountId)
const lockPersonKeys = ({ user }: PersonWithToken) => lockRows(world.url, 'api_key where account_id = $1', [user.accountId])

/** `done`, or the code of what went wrong. Handles the rejection from the start: it may come before anybody awaits it. */
const outcome = (work: Promise<unknown> | undefined): Promise<string> =>
  Promise.resolve(work).then(
    () => 'done',
    (error: { code: string }) => error.code,
  )

it.each<[string, (who: PersonWithToken) => Promise<RowLock>, ((who: PersonWithToken) => Promise<unknown>)[]]>([
  ['closing an account and signing its person out', lockPersonPurse, [close, signOut]],
  ['closing an account and resetting two-step verification', lockPersonPurse, [close, resetStep]],
  ['closing an account and setting a new password with a link', lockPersonPurse, [close, reset]],
  ['closing an account and setting a new password in the settings', lockPersonPurse, [close, newPassword]],
  ['a new password in the settings and one with a link', lockPersonKeys, [newPassword, reset]],
  ['signing out and a new password with a link', lockPersonKeys, [signOut, reset]],
])('%s do not wait for each other', async (_, hold, [first, second]) => {
  const target = await person()
  const lock = await hold(target)
  const one = outcome(first?.(target))
  await lock.waitUntilBlockedCount(1)
  const two = outcome(second?.(target))
  await lock.waitUntilBlockedCount(2)
  await lock.release()
  // The second one may find that nothing is left to do, and says so with its own code.
  expect(await one).toBe('done')
  expect(['done', 'bad_link', 'account_closed']).toContain(await two)
})
