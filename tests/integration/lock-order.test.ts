import { afterAll, beforeAll, expect, it } from 'vitest'
import { closeAccount } from '#lib/services/account/close-account'
import { createPlaygroundKey } from '#lib/services/playground/create-playground-key'
import type { SignedInUser } from '#lib/services/ports'
import { requestReset } from '#lib/services/sign-in/request-reset'
import { resetPassword } from '#lib/services/sign-in/reset-password'
import { expectBalancedBooks } from '../support/ledger.ts'
import { lockPurse, lockRows, type RowLock } from '../support/locks.ts'
import { openWorld, PASSWORD, type World } from './console-world.ts'
import { tokenTo, verify } from './sign-in-world.ts'

// Everything that ends somebody's access locks the person, the sessions and the keys in this order. Of two such operations at the
// same time, one waits for the other, and they never wait for each other.
let world: World
beforeAll(async () => {
  world = await openWorld()
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
  await verify(world, user)
  const { rows } = await world.pool.query('select id from user_session where user_id = $1', [user.userId])
  const asked = world.as(user)
  const ctx = { ...asked, user: { ...asked.user, sessionId: rows[0].id as string } }
  await createPlaygroundKey({ ctx, input: { groupId: 'grp_main' } })
  await requestReset({ ctx: world.guest(`10.9.${user.email.length}.1`), input: { email: user.email } })
  return { user, token: await tokenTo(world, user.email) }
}

type Access = Awaited<ReturnType<typeof person>>
const close = ({ user }: Access) =>
  closeAccount({ ctx: world.as(user), input: { email: user.email, password: PASSWORD, forfeitNano: null } })
const signOut = ({ user }: Access) => world.console.ports.operatorAccounts.signOut(OPERATOR, user.userId, world.clock.at)
const reset = ({ token }: Access) => resetPassword({ ctx: world.guest(), input: { token, password: NEW_PASSWORD } })
const newPassword = ({ user }: Access) =>
  world.console.ports.userCredentials.setPassword(user.userId, 'a hash', 'ses_none', world.clock.at)

const purse = ({ user }: Access) => lockPurse(world.url, user.accountId)
const keys = ({ user }: Access) => lockRows(world.url, 'api_key where account_id = $1', [user.accountId])

/** `done`, or the code of what went wrong. Handles the rejection from the start: it may come before anybody awaits it. */
const outcome = (work: Promise<unknown> | undefined): Promise<string> =>
  Promise.resolve(work).then(
    () => 'done',
    (error: { code: string }) => error.code,
  )

it.each<[string, (who: Access) => Promise<RowLock>, ((who: Access) => Promise<unknown>)[]]>([
  ['closing an account and signing its person out', purse, [close, signOut]],
  ['closing an account and setting a new password with a link', purse, [close, reset]],
  ['closing an account and setting a new password in the settings', purse, [close, newPassword]],
  ['a new password in the settings and one with a link', keys, [newPassword, reset]],
  ['signing out and a new password with a link', keys, [signOut, reset]],
])('%s do not wait for each other', async (_, hold, [first, second]) => {
  const who = await person()
  const lock = await hold(who)
  const one = outcome(first?.(who))
  await lock.untilBlockedCount(1)
  const two = outcome(second?.(who))
  await lock.untilBlockedCount(2)
  await lock.release()
  // The second one may find that nothing is left to do, and says so with its own code.
  expect(await one).toBe('done')
  expect(['done', 'bad_link', 'account_closed']).toContain(await two)
})
