import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { confirmSecondStep } from '#lib/services/account/confirm-second-step'
import { endSecondStep } from '#lib/services/account/end-second-step'
import { getSecurity } from '#lib/services/account/get-security'
import { renewRecoveryCodes } from '#lib/services/account/renew-recovery-codes'
import { startSecondStep } from '#lib/services/account/start-second-step'
import type { SignedInUser } from '#lib/services/ports'
import { openBrowser } from './auth-browser.ts'
import { type ConsoleWorld, NOW, ORIGIN, openConsoleWorld, PASSWORD } from './console-world.ts'
import { enableSecondStep, markEmailVerified, totpCodeAt } from './sign-in-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  vi.stubEnv('NEXTAUTH_URL', ORIGIN)
  world = await openConsoleWorld()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await world.close()
})

const HALF_MINUTE_MS = 30_000
let addresses = 0
const open = () => openBrowser(world.console, `10.5.${addresses >> 8}.${addresses++ & 255}`)
const step = (halfMinutes: number) => {
  world.clock.at = new Date(NOW.getTime() + halfMinutes * HALF_MINUTE_MS)
}
const codeNow = (secret: string) => totpCodeAt(secret, world.clock.at.getTime())
beforeEach(() => step(0))

async function createTwoStepUser(): Promise<SignedInUser & { secret: string; codes: string[] }> {
  const user = await world.newUser()
  await markEmailVerified(world, user)
  return { ...user, ...(await enableSecondStep(world, user)) }
}

const enter = (user: SignedInUser, code?: string) =>
  open().submitCredentials({ email: user.email, password: PASSWORD, ...(code === undefined ? {} : { code }) })
const start = (user: SignedInUser, password = PASSWORD) => startSecondStep({ ctx: world.as(user), input: { password } })
const stateOf = async (user: SignedInUser) => (await getSecurity({ ctx: world.as(user) })).secondStep

describe('switching it on', () => {
  it('needs a confirmed address and the password', async () => {
    const user = await world.newUser()
    await expect(start(user)).rejects.toMatchObject({ code: 'not_allowed' })
    await markEmailVerified(world, user)
    await expect(start(user, 'not it')).rejects.toMatchObject({ code: 'wrong_password', field: 'password' })
    const { secret, uri } = await start(user)
    expect(new URL(uri).searchParams.get('secret')).toBe(secret)
    expect(decodeURIComponent(uri)).toContain(`Tollgate:${user.email}`)
  })

  it('changes nothing before a code was given', async () => {
    const user = await world.newUser()
    await markEmailVerified(world, user)
    const { secret } = await start(user)
    expect(await enter(user)).toBeNull()
    const wrong = confirmSecondStep({ ctx: world.as(user), input: { code: '000000' } })
    await expect(wrong).rejects.toMatchObject({ code: 'wrong_code', field: 'code' })
    expect(await stateOf(user)).toBeNull()
    const { codes } = await confirmSecondStep({ ctx: world.as(user), input: { code: codeNow(secret) } })
    expect(new Set(codes).size).toBe(10)
    expect(await stateOf(user)).toEqual({ since: NOW.toISOString(), recoveryLeft: 10 })
    expect(await enter(user)).toBe('second_step')
  })

  it('keeps the secret sealed, and recovery codes as hashes', async () => {
    const user = await createTwoStepUser()
    const { rows } = await world.pool.query(
      'select s.*::text as s, (select string_agg(r.*::text, $2) from recovery_code r where r.user_id = s.user_id) as r from second_step s where user_id = $1',
      [user.userId, ' '],
    )
    const kept = JSON.stringify(rows)
    for (const secret of [user.secret, ...user.codes, ...user.codes.map((code) => code.replaceAll('-', ''))]) {
      expect(kept).not.toContain(secret)
      expect(kept).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })

  it('is done once by two who come at once, and not again', async () => {
    const user = await world.newUser()
    await markEmailVerified(world, user)
    const { secret } = await start(user)
    const confirm = () => confirmSecondStep({ ctx: world.as(user), input: { code: codeNow(secret) } })
    const results = await Promise.allSettled([confirm(), confirm()])
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await expect(start(user)).rejects.toMatchObject({ code: 'conflict' })
  })

  it('is guessed so often', async () => {
    const user = await world.newUser()
    await markEmailVerified(world, user)
    const { secret } = await start(user)
    const confirm = (code: string) => confirmSecondStep({ ctx: world.as(user), input: { code } })
    for (let turn = 0; turn < 5; turn++) await confirm('000000').catch(() => {})
    await expect(confirm(codeNow(secret))).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
  })
})

describe('signing in', () => {
  it('makes no session without the code, and tells nobody of it who has no password', async () => {
    const user = await createTwoStepUser()
    const chrome = open()
    expect(await chrome.submitCredentials({ email: user.email, password: 'a wrong guess', code: '123456' })).toBe(
      'CredentialsSignin',
    )
    expect(await chrome.submitCredentials({ email: user.email, password: PASSWORD })).toBe('second_step')
    expect(await chrome.session()).toBeNull()
    step(1)
    expect(await chrome.submitCredentials({ email: user.email, password: PASSWORD, code: codeNow(user.secret) })).toBeNull()
    expect(await chrome.session()).toMatchObject({ userId: user.userId })
  })

  it('takes each code once, the one that switched it on included', async () => {
    const user = await createTwoStepUser()
    expect(await enter(user, codeNow(user.secret))).toBe('wrong_code')
    step(1)
    const code = codeNow(user.secret)
    expect(await enter(user, code)).toBeNull()
    expect(await enter(user, code)).toBe('wrong_code')
    // An older code that its window would still allow is refused too.
    step(3)
    expect(await enter(user, codeNow(user.secret))).toBeNull()
    expect(await enter(user, totpCodeAt(user.secret, world.clock.at.getTime() - HALF_MINUTE_MS))).toBe('wrong_code')
  })

  it('takes the same code once from two who come at once', async () => {
    const user = await createTwoStepUser()
    step(1)
    const code = codeNow(user.secret)
    const ends = await Promise.all([enter(user, code), enter(user, code), enter(user, code)])
    expect(ends.filter((end) => end === null)).toHaveLength(1)
  })

  it('takes each recovery code once, however it is typed', async () => {
    const user = await createTwoStepUser()
    const [first = '', second = ''] = user.codes
    expect(await enter(user, first.toLowerCase().replaceAll('-', ' '))).toBeNull()
    expect(await enter(user, first)).toBe('wrong_code')
    const ends = await Promise.all([enter(user, second), enter(user, second)])
    expect(ends.filter((end) => end === null)).toHaveLength(1)
    expect((await stateOf(user))?.recoveryLeft).toBe(8)
  })

  it('takes no recovery code of somebody else', async () => {
    const [user, other] = [await createTwoStepUser(), await createTwoStepUser()]
    expect(await enter(user, other.codes[0] ?? '')).toBe('wrong_code')
  })

  it('stops guesses of codes, from wherever, with the password in hand', async () => {
    const user = await createTwoStepUser()
    for (let turn = 0; turn < 5; turn++) expect(await enter(user, `00000${turn}`)).toBe('wrong_code')
    step(1)
    expect(await enter(user, codeNow(user.secret))).toBe('rate_limit_exceeded')
  })
})

describe('an email', () => {
  it('tells of each change, and of nothing that was refused', async () => {
    const user = await createTwoStepUser()
    const ctx = world.as(user)
    await expect(endSecondStep({ ctx, input: { password: 'not it' } })).rejects.toMatchObject({ code: 'wrong_password' })
    await renewRecoveryCodes({ ctx, input: { password: PASSWORD } })
    await world.console.ports.background.idle()
    await endSecondStep({ ctx: { ...ctx, user: { ...ctx.user, locale: 'zh' } }, input: { password: PASSWORD } })
    await world.console.ports.background.idle()
    const subjects = world.mails.filter(({ to }) => to === user.email).map(({ subject }) => subject)
    expect(subjects.slice(1)).toEqual([
      'Two-step verification is on for your Tollgate account',
      'Your Tollgate account has new recovery codes',
      '您的 Tollgate 账户已关闭两步验证',
    ])
    expect(world.mails.at(-1)?.text).toContain(`${ORIGIN}/forgot`)
  })
})

describe('switching it off', () => {
  it('needs a code or the password', async () => {
    const user = await createTwoStepUser()
    const end = (input: { code?: string; password?: string }) => endSecondStep({ ctx: world.as(user), input })
    await expect(end({})).rejects.toMatchObject({ code: 'invalid_input', field: 'code' })
    await expect(end({ password: 'not it' })).rejects.toMatchObject({ code: 'wrong_password' })
    await expect(end({ code: '000000' })).rejects.toMatchObject({ code: 'wrong_code' })
    expect(await stateOf(user)).not.toBeNull()
    step(1)
    await end({ code: codeNow(user.secret) })
    expect(await stateOf(user)).toBeNull()
    expect(await enter(user)).toBeNull()
    await expect(end({ password: PASSWORD })).rejects.toMatchObject({ code: 'conflict' })
  })

  it('takes its recovery codes along', async () => {
    const user = await createTwoStepUser()
    await endSecondStep({ ctx: world.as(user), input: { password: PASSWORD } })
    step(2)
    await enableSecondStep(world, user)
    expect(await enter(user, user.codes[0])).toBe('wrong_code')
  })

  it('makes new recovery codes in place of the old ones', async () => {
    const user = await createTwoStepUser()
    const { codes } = await renewRecoveryCodes({ ctx: world.as(user), input: { password: PASSWORD } })
    expect(await enter(user, user.codes[0])).toBe('wrong_code')
    expect(await enter(user, codes[0])).toBeNull()
  })
})
