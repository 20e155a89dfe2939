import { Secret, TOTP } from 'otpauth'
import { describe, expect, it } from 'vitest'
import type { Limit, UserWithPassword } from '../ports.ts'
import { signIn } from './sign-in.ts'
import type { SecondStep, SecondSteps } from './sign-in-ports.ts'

const user: UserWithPassword = {
  userId: 'usr_1',
  accountId: 'acc_1',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'holder',
  sessionEpoch: 3,
  locale: 'en',
  passwordHash: 'hash of right',
  emailVerified: false,
}

const AT = new Date('2026-11-20T12:00:00Z')
const SECRET = 'JBSWY3DPEHPK3PXP'
const codeAt = (ms: number) => new TOTP({ secret: Secret.fromBase32(SECRET) }).generate({ timestamp: ms })

function secondStepsOf(found: SecondStep | null): SecondSteps {
  let last = 0
  const none = async () => false
  return {
    find: async () => found,
    async spend(_userId, step) {
      const fresh = step > last
      last = Math.max(last, step)
      return fresh
    },
    start: none,
    confirm: none,
    spendRecovery: none,
    replaceRecovery: async () => {},
    remove: none,
  }
}

function world({ waits = {} as Record<string, number>, secondStep = null as SecondStep | null } = {}) {
  const trace: string[] = []
  const limit = (name: string): Limit => ({
    async take(key) {
      trace.push(`${name} ${key}`)
      return waits[name] ?? null
    },
    async reset(key) {
      trace.push(`forget ${name} ${key}`)
    },
  })
  const ctx: Parameters<typeof signIn>[0]['ctx'] = {
    clock: { now: () => AT },
    address: '203.0.113.7',
    locale: 'en',
    limits: {
      signInAddress: limit('address'),
      signInEmail: limit('email'),
      signUpAddress: limit('sign-up'),
      topUpAccount: limit('top-up'),
      redeemAccount: limit('redeem'),
      secondStepUser: limit('second step'),
      passwordUser: limit('password'),
      linkAddress: limit('link address'),
      linkEmail: limit('link email'),
      wantedEmail: limit('wanted email'),
      playgroundAccount: limit('playground'),
      webhookAccount: limit('webhooks'),
      closeAccount: limit('closing'),
      exportAccount: limit('export'),
    },
    users: {
      async byEmail(email) {
        trace.push(`look up ${email}`)
        return email === user.email ? user : null
      },
      byId: async () => null,
      setLocale: async () => undefined,
    },
    passwords: {
      decoy: 'decoy',
      hash: async () => '',
      async verify(password, stored) {
        trace.push(`verify ${stored}`)
        return stored === `hash of ${password}`
      },
    },
    secondSteps: secondStepsOf(secondStep),
    recoverySecrets: { create: () => ({ codes: [], hmacs: [] }), hash: () => new Uint8Array() },
  }
  return { ctx, trace }
}

describe('signIn', () => {
  it('answers who it is, without the stored password, and forgets the failed tries', async () => {
    const { ctx, trace } = world()
    const { passwordHash: _hash, emailVerified: _verified, ...signedIn } = user
    expect(await signIn({ ctx, input: { email: 'Ada@Example.com ', password: 'right' } })).toEqual(signedIn)
    expect(trace.at(-1)).toBe('forget email ada@example.com')
  })

  it('takes the same steps whether or not there is such an account', async () => {
    const known = world()
    const unknown = world()
    const wrong = { code: 'wrong_credentials', message: 'The email address or the password is wrong.' }
    await expect(signIn({ ctx: known.ctx, input: { email: 'ada@example.com', password: 'no' } })).rejects.toMatchObject(wrong)
    await expect(signIn({ ctx: unknown.ctx, input: { email: 'bob@example.com', password: 'no' } })).rejects.toMatchObject(wrong)
    expect(known.trace).toEqual([
      'address 203.0.113.7',
      'email ada@example.com',
      'look up ada@example.com',
      'verify hash of right',
    ])
    expect(unknown.trace).toEqual(['address 203.0.113.7', 'email bob@example.com', 'look up bob@example.com', 'verify decoy'])
  })

  it('never takes the decoy for a password', async () => {
    const { ctx } = world()
    ctx.passwords.verify = async () => true
    await expect(signIn({ ctx, input: { email: 'bob@example.com', password: 'any' } })).rejects.toMatchObject({
      code: 'wrong_credentials',
    })
  })

  it.each(['address', 'email'])('stops before the look-up at the limit by %s', async (name) => {
    const { ctx, trace } = world({ waits: { [name]: 90_000 } })
    await expect(signIn({ ctx, input: { email: 'ada@example.com', password: 'right' } })).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
      retryAfterMs: 90_000,
    })
    expect(trace.filter((step) => step.startsWith('look up') || step.startsWith('verify'))).toEqual([])
  })

  it('does not work out a password that nobody could have set', async () => {
    const { ctx } = world()
    const password = 'right'.padEnd(201, ' ')
    await expect(signIn({ ctx, input: { email: 'ada@example.com', password } })).rejects.toMatchObject({
      code: 'wrong_credentials',
    })
  })

  it('takes no password of somebody who has none', async () => {
    const { ctx } = world()
    ctx.users.byEmail = async () => ({ ...user, passwordHash: null })
    ctx.passwords.verify = async () => true
    await expect(signIn({ ctx, input: { email: 'ada@example.com', password: 'any' } })).rejects.toMatchObject({
      code: 'wrong_credentials',
    })
  })
})

describe('signIn with a second step', () => {
  const secondStep = { secret: SECRET, startedAt: AT, confirmedAt: AT, recoveryLeft: 0 }
  const input = { email: 'ada@example.com', password: 'right' }

  it('asks for the code only after the right password', async () => {
    const { ctx } = world({ secondStep })
    await expect(signIn({ ctx, input: { ...input, password: 'no' } })).rejects.toMatchObject({ code: 'wrong_credentials' })
    await expect(signIn({ ctx, input })).rejects.toMatchObject({ code: 'second_step' })
  })

  it.each([-30_000, 0, 30_000])('takes the code of a clock that is %i ms off, once', async (offMs) => {
    const { ctx } = world({ secondStep })
    const code = codeAt(AT.getTime() + offMs)
    expect(await signIn({ ctx, input: { ...input, code: `${code.slice(0, 3)} ${code.slice(3)}` } })).toMatchObject({
      userId: 'usr_1',
    })
    await expect(signIn({ ctx, input: { ...input, code } })).rejects.toMatchObject({ code: 'wrong_code', field: 'code' })
  })

  it.each([codeAt(AT.getTime() - 60_000), codeAt(AT.getTime() + 60_000), '12345', 'abcdef', '１２３４５６'])(
    'refuses %s',
    async (code) => {
      const { ctx } = world({ secondStep })
      await expect(signIn({ ctx, input: { ...input, code } })).rejects.toMatchObject({ code: 'wrong_code' })
    },
  )

  it('does not ask for the code of an app that never gave one', async () => {
    const { ctx } = world({ secondStep: { ...secondStep, confirmedAt: null } })
    expect(await signIn({ ctx, input })).toMatchObject({ userId: 'usr_1' })
  })

  it('stops at the limit of codes, before one is looked at', async () => {
    const { ctx } = world({ secondStep, waits: { 'second step': 60_000 } })
    await expect(signIn({ ctx, input: { ...input, code: codeAt(AT.getTime()) } })).rejects.toMatchObject({
      code: 'rate_limit_exceeded',
    })
  })
})
