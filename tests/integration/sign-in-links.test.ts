import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { createKeyInput } from '#lib/contracts/keys'
import { DAY_MS, HOUR_MS } from '#lib/domain/time-units'
import { cancelEmailChange } from '#lib/services/account/cancel-email-change'
import { changeEmail } from '#lib/services/account/change-email'
import { changePassword } from '#lib/services/account/change-password'
import { getMe } from '#lib/services/account/get-me'
import { getSecurity } from '#lib/services/account/get-security'
import { startSecondStep } from '#lib/services/account/start-second-step'
import { createKey } from '#lib/services/keys/create-key'
import type { SignedInUser } from '#lib/services/ports'
import { confirmEmail } from '#lib/services/sign-in/confirm-email'
import { requestReset } from '#lib/services/sign-in/request-reset'
import { resetPassword } from '#lib/services/sign-in/reset-password'
import { sendVerification } from '#lib/services/sign-in/send-verification'
import { signIn } from '#lib/services/sign-in/sign-in'
import { signUp } from '#lib/services/sign-in/sign-up'
import { createWebhook } from '#lib/services/webhooks/create-webhook'
import { openBrowser } from './auth-browser.ts'
import { type ConsoleWorld, NOW, ORIGIN, openConsoleWorld, PASSWORD } from './console-world.ts'
import { findLatestToken, markEmailVerified } from './sign-in-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  vi.stubEnv('NEXTAUTH_URL', ORIGIN)
  world = await openConsoleWorld()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await world.close()
})

const NEW_PASSWORD = 'another horse battery'
let guests = 0
const guest = () => world.guest(`10.4.${guests >> 8}.${guests++ & 255}`)
const confirm = (token: string) => confirmEmail({ ctx: guest(), input: { token } })
const reset = (token: string, password = NEW_PASSWORD) => resetPassword({ ctx: guest(), input: { token, password } })
const forgot = (email: string) => requestReset({ ctx: guest(), input: { email } })
const enter = (email: string, password: string) => signIn({ ctx: guest(), input: { email, password } })
const BAD_LINK = { code: 'bad_link', field: 'token' }
const meOf = (user: SignedInUser) => getMe({ ctx: world.as(user) })

beforeEach(() => {
  world.clock.at = NOW
})

describe('the link that proves an address', () => {
  it('comes with the sign-up, points behind the #, and is good once', async () => {
    const user = await world.newUser()
    const token = await findLatestToken(world, user.email)
    expect(world.mails.at(-1)?.text).toContain(`${ORIGIN}/verify#token=${token}`)
    expect((await meOf(user)).emailVerified).toBe(false)
    expect(await confirm(token)).toEqual({ email: user.email, changed: false })
    expect((await meOf(user)).emailVerified).toBe(true)
    await expect(confirm(token)).rejects.toMatchObject(BAD_LINK)
  })

  it('is kept as a hash only', async () => {
    const user = await world.newUser()
    const token = await findLatestToken(world, user.email)
    const { rows } = await world.pool.query('select t.*::text as row from one_time_token t where user_id = $1', [user.userId])
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'))
  })

  it('is spent once by two who come at once', async () => {
    const user = await world.newUser()
    const token = await findLatestToken(world, user.email)
    const results = await Promise.allSettled([confirm(token), confirm(token), confirm(token)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected'])
  })

  it('is good for 24 hours', async () => {
    const [early, late] = [await world.newUser(), await world.newUser()]
    const tokens = [await findLatestToken(world, early.email), await findLatestToken(world, late.email)] as const
    world.clock.at = new Date(NOW.getTime() + 24 * HOUR_MS - 1)
    expect(await confirm(tokens[0])).toMatchObject({ email: early.email })
    world.clock.at = new Date(NOW.getTime() + 24 * HOUR_MS)
    await expect(confirm(tokens[1])).rejects.toMatchObject(BAD_LINK)
  })

  it('is replaced by a newer one, and asked for so often', async () => {
    const user = await world.newUser()
    const first = await findLatestToken(world, user.email)
    await sendVerification({ ctx: world.as(user) })
    const second = await findLatestToken(world, user.email)
    expect(second).not.toBe(first)
    await expect(confirm(first)).rejects.toMatchObject(BAD_LINK)
    for (let turn = 1; turn < 5; turn++) await sendVerification({ ctx: world.as(user) })
    await expect(sendVerification({ ctx: world.as(user) })).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    await confirm(await findLatestToken(world, user.email))
    await expect(sendVerification({ ctx: world.as(user) })).rejects.toMatchObject({ code: 'conflict' })
  })

  it.each(['', 'nonsense', 'x'.repeat(100)])('is not %j', async (token) => {
    await expect(confirm(token)).rejects.toMatchObject(BAD_LINK)
  })

  it('of one kind does nothing as another', async () => {
    const user = await world.newUser()
    await expect(reset(await findLatestToken(world, user.email))).rejects.toMatchObject(BAD_LINK)
    await forgot(user.email)
    await expect(confirm(await findLatestToken(world, user.email))).rejects.toMatchObject(BAD_LINK)
  })
})

describe('a forgotten password', () => {
  it('is answered alike for every address, and mailed to those who have an account', async () => {
    const user = await world.newUser()
    const before = world.mails.length
    expect(await forgot('nobody-at-all@example.com')).toEqual(await forgot(user.email))
    await world.console.ports.background.idle()
    expect(world.mails.slice(before).map(({ to }) => to)).toEqual([user.email])
    expect(world.mails.at(-1)?.text).toContain(`${ORIGIN}/reset#token=`)
  })

  it('is answered before anything is looked up', async () => {
    const deferredLabels: string[] = []
    const never = new Promise<null>(() => {})
    const ctx = { ...guest(), background: { defer: (label: string) => void deferredLabels.push(label), idle: async () => {} } }
    ctx.users = { ...ctx.users, byEmail: () => never }
    expect(await requestReset({ ctx, input: { email: 'somebody@example.com' } })).toEqual({})
    expect(deferredLabels).toHaveLength(1)
  })

  it('is set once, proves the address, ends all sessions, and leaves the old one good for nothing', async () => {
    const user = await world.newUser()
    const chrome = openBrowser(world.console)
    await chrome.signIn(user.email, PASSWORD)
    expect(await chrome.session()).not.toBeNull()
    await forgot(user.email)
    const token = await findLatestToken(world, user.email)
    expect(await reset(token)).toEqual({})
    await expect(enter(user.email, PASSWORD)).rejects.toMatchObject({ code: 'wrong_credentials' })
    expect(await enter(user.email, NEW_PASSWORD)).toMatchObject({ userId: user.userId, sessionEpoch: 1 })
    await expect.poll(() => chrome.session(), { timeout: 10_000 }).toBeNull()
    await expect(reset(token)).rejects.toMatchObject(BAD_LINK)
    await world.console.ports.background.idle()
    expect(world.mails.at(-1)).toMatchObject({ to: user.email, subject: 'Your Tollgate password was changed' })
    const { rows } = await world.pool.query('select email_verified_at from app_user where id = $1', [user.userId])
    expect(rows[0].email_verified_at).toEqual(NOW)
  })

  it.each([
    ['ends keys and webhooks of an account whose address nobody had proved', false],
    ['leaves keys and webhooks of an account whose address was proved', true],
  ])('%s', async (_, proved) => {
    const user = await world.newUser()
    if (proved) await markEmailVerified(world, user)
    const ctx = world.as(user)
    const input = createKeyInput.parse({ name: 'Made in wait', groupId: 'grp_main' })
    const { key } = await createKey({ ctx, input })
    await createWebhook({ ctx, input: { url: 'https://hooks.example.com/', description: '', events: ['balance.low'] } })
    await forgot(user.email)
    await reset(await findLatestToken(world, user.email), NEW_PASSWORD)
    await world.console.ports.background.idle()
    const { rows } = await world.pool.query(
      `select revoked_at is null as good, (select count(*)::int from change where ref = $1) as told from api_key where id = $1`,
      [key.id],
    )
    // Its creation was notified too.
    expect(rows).toEqual([{ good: proved, told: proved ? 1 : 2 }])
    expect(await ctx.webhooks.list(user.accountId)).toHaveLength(proved ? 1 : 0)
    expect(world.mails.at(-1)?.text.includes('Create new ones')).toBe(!proved)
  })

  it('is set once by two who come at once', async () => {
    const user = await world.newUser()
    await forgot(user.email)
    const token = await findLatestToken(world, user.email)
    const results = await Promise.allSettled([reset(token, 'the first of the two'), reset(token, 'the second of the two')])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const good = results[0]?.status === 'fulfilled' ? 'the first of the two' : 'the second of the two'
    expect(await enter(user.email, good)).toMatchObject({ userId: user.userId })
  })

  it('is good for an hour, and only the newest of two', async () => {
    const user = await world.newUser()
    await forgot(user.email)
    const first = await findLatestToken(world, user.email)
    await forgot(user.email)
    const second = await findLatestToken(world, user.email)
    await expect(reset(first)).rejects.toMatchObject(BAD_LINK)
    world.clock.at = new Date(NOW.getTime() + HOUR_MS)
    await expect(reset(second)).rejects.toMatchObject(BAD_LINK)
    expect(await enter(user.email, PASSWORD)).toMatchObject({ userId: user.userId })
  })

  it('leaves no older link behind', async () => {
    const user = await world.newUser()
    const verification = await findLatestToken(world, user.email)
    await forgot(user.email)
    await reset(await findLatestToken(world, user.email))
    await expect(confirm(verification)).rejects.toMatchObject(BAD_LINK)
  })

  it('lets its owner in whom strangers had kept out, who wanted the address for themselves too', async () => {
    const [user, other] = [await world.newUser(), await world.newUser()]
    for (let turn = 0; turn < 10; turn++) await enter(user.email, 'a wrong guess').catch(() => {})
    for (let turn = 0; turn < 5; turn++) {
      await signUp({ ctx: guest(), input: { name: 'A stranger', email: user.email, password: PASSWORD } })
      await changeEmail({ ctx: world.as(other), input: { email: user.email, password: PASSWORD } }).catch(() => {})
    }
    await world.console.ports.background.idle()
    await expect(enter(user.email, PASSWORD)).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    await forgot(user.email)
    await reset(await findLatestToken(world, user.email))
    expect(await enter(user.email, NEW_PASSWORD)).toMatchObject({ userId: user.userId })
  })

  it('is mailed so often to one address, whoever asks', async () => {
    const email = 'often-asked@example.com'
    for (let turn = 0; turn < 5; turn++) await forgot(email)
    await expect(forgot(email)).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  })

  it('is tried so often from one client', async () => {
    const ctx = world.guest('10.9.9.9')
    const attemptReset = () =>
      resetPassword({ ctx, input: { token: 'x'.repeat(43), password: NEW_PASSWORD } }).catch(({ code }) => code)
    const codes = await Promise.all(Array.from({ length: 31 }, attemptReset))
    expect(codes.filter((code) => code === 'rate_limit_exceeded')).toHaveLength(1)
  })
})

describe('another address', () => {
  const change = (user: SignedInUser, email: string, password = PASSWORD) =>
    changeEmail({ ctx: world.as(user), input: { email, password } })
  const waiting = async (user: SignedInUser) => (await getSecurity({ ctx: world.as(user) })).newEmail

  it('takes the place of the old one when its own link is opened, and the old one is told', async () => {
    const user = await world.newUser()
    await change(user, 'moved@example.com')
    expect(await enter(user.email, PASSWORD)).toMatchObject({ email: user.email })
    const token = await findLatestToken(world, 'moved@example.com')
    // Its page says what the link is for.
    expect(world.mails.at(-1)?.text).toContain(`${ORIGIN}/verify?change#token=${token}`)
    expect(await confirm(token)).toEqual({ email: 'moved@example.com', changed: true })
    await expect(enter(user.email, PASSWORD)).rejects.toMatchObject({ code: 'wrong_credentials' })
    expect(await enter('moved@example.com', PASSWORD)).toMatchObject({ userId: user.userId })
    await world.console.ports.background.idle()
    expect(world.mails.at(-1)).toMatchObject({ to: user.email, subject: 'Your Tollgate email address was changed' })
    await expect(confirm(token)).rejects.toMatchObject(BAD_LINK)
  })

  it('needs the password', async () => {
    const user = await world.newUser()
    await expect(change(user, 'else@example.com', 'not it')).rejects.toMatchObject({ code: 'wrong_password', field: 'password' })
    await expect(changeEmail({ ctx: world.as(user), input: { email: 'else@example.com' } })).rejects.toMatchObject({
      code: 'wrong_password',
    })
  })

  it('that is taken is answered as a free one, and its owner is told', async () => {
    const [user, owner] = [await world.newUser(), await world.newUser()]
    expect(await change(user, owner.email)).toEqual({})
    await world.console.ports.background.idle()
    expect(world.mails.at(-1)).toMatchObject({ to: owner.email, subject: 'Your Tollgate email address' })
    // The settings do not tell either.
    expect(await waiting(user)).toMatchObject({ email: owner.email })
  })

  it('is in the settings while its link is valid, and can be canceled there', async () => {
    const user = await world.newUser()
    expect(await waiting(user)).toBeNull()
    await change(user, 'first@example.com')
    await change(user, 'waiting@example.com')
    const token = await findLatestToken(world, 'waiting@example.com')
    const expiresAt = new Date(world.clock.at.getTime() + DAY_MS).toISOString()
    expect(await waiting(user)).toEqual({ email: 'waiting@example.com', expiresAt })
    expect(await waiting(await world.newUser())).toBeNull()
    await cancelEmailChange({ ctx: world.as(user) })
    expect(await waiting(user)).toBeNull()
    await expect(confirm(token)).rejects.toMatchObject(BAD_LINK)
    // The link that proves the present address is another one.
    expect(await confirm(await findLatestToken(world, user.email))).toEqual({ email: user.email, changed: false })

    await change(user, 'again@example.com')
    await confirm(await findLatestToken(world, 'again@example.com'))
    expect(await waiting(user)).toBeNull()
    await change(user, 'late@example.com')
    world.clock.at = new Date(world.clock.at.getTime() + DAY_MS)
    expect(await waiting(user)).toBeNull()
  })

  it('that was taken in between is not given twice', async () => {
    const [first, second] = [await world.newUser(), await world.newUser()]
    await change(first, 'wanted@example.com')
    const one = await findLatestToken(world, 'wanted@example.com')
    await change(second, 'wanted@example.com')
    const two = await findLatestToken(world, 'wanted@example.com')
    const results = await Promise.allSettled([confirm(one), confirm(two)])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(results.find(({ status }) => status === 'rejected')).toMatchObject({ reason: BAD_LINK })
  })

  it('makes links to the old one good for nothing', async () => {
    const user = await world.newUser()
    const old = await findLatestToken(world, user.email)
    await forgot(user.email)
    const oldReset = await findLatestToken(world, user.email)
    await change(user, 'fresh@example.com')
    await confirm(await findLatestToken(world, 'fresh@example.com'))
    await expect(confirm(old)).rejects.toMatchObject(BAD_LINK)
    await expect(reset(oldReset)).rejects.toMatchObject(BAD_LINK)
  })
})

describe('another password', () => {
  const change = (user: SignedInUser, current: string | undefined, sessionId?: string) => {
    const ctx = world.as(user)
    return changePassword({
      ctx: sessionId === undefined ? ctx : { ...ctx, user: { ...ctx.user, sessionId } },
      input: { current, password: NEW_PASSWORD },
    })
  }

  it('needs the one before, and ends all sessions but the one that sets it', async () => {
    const user = await world.newUser()
    await expect(change(user, 'not it')).rejects.toMatchObject({ code: 'wrong_password', field: 'current' })
    const [thisBrowser, otherBrowser] = [openBrowser(world.console), openBrowser(world.console)]
    for (const browser of [thisBrowser, otherBrowser]) await browser.signIn(user.email, PASSWORD)
    const kept = await thisBrowser.session()
    expect(await otherBrowser.session()).not.toBeNull()
    await change(user, PASSWORD, kept?.sessionId)
    await expect.poll(() => otherBrowser.session(), { timeout: 10_000 }).toBeNull()
    expect(await thisBrowser.session()).toMatchObject({ sessionId: kept?.sessionId })
    await expect(enter(user.email, PASSWORD)).rejects.toMatchObject({ code: 'wrong_credentials' })
    expect(await enter(user.email, NEW_PASSWORD)).toMatchObject({ userId: user.userId })
  })

  it('makes a link to reset it good for nothing', async () => {
    const user = await world.newUser()
    await forgot(user.email)
    const token = await findLatestToken(world, user.email)
    await change(user, PASSWORD)
    await expect(reset(token, 'a stranger’s choice')).rejects.toMatchObject(BAD_LINK)
  })

  it('is guessed so often', async () => {
    const user = await world.newUser()
    await markEmailVerified(world, user)
    for (let turn = 0; turn < 10; turn++) await change(user, 'a wrong guess').catch(() => {})
    await expect(change(user, PASSWORD)).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  })
})

describe('who has no password', () => {
  it('settles how they sign in for so long after signing in, and then not before they do so again', async () => {
    const user = await world.newUser()
    await markEmailVerified(world, user)
    await world.pool.query('update app_user set password_hash = null where id = $1', [user.userId])
    const ctx = world.as(user)
    const verbs = [
      () => startSecondStep({ ctx, input: {} }),
      () => changeEmail({ ctx, input: { email: 'without-a-password@example.com' } }),
      () => changePassword({ ctx, input: { password: NEW_PASSWORD } }),
    ]
    world.clock.at = new Date(NOW.getTime() + HOUR_MS / 4)
    for (const verb of verbs)
      await expect(verb()).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('in again') })
    world.clock.at = new Date(NOW.getTime() + HOUR_MS / 4 - 1)
    for (const verb of verbs) await verb()
    expect(await enter(user.email, NEW_PASSWORD)).toMatchObject({ userId: user.userId })
  })
})
