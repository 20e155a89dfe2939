import { describe, expect, it } from 'vitest'
import type { GuestCtx, Limit, UserWithPassword } from './ports.ts'
import { signIn } from './sign-in.ts'

const user: UserWithPassword = {
  userId: 'usr_1',
  accountId: 'acc_1',
  email: 'ada@example.com',
  name: 'Ada',
  role: 'holder',
  sessionEpoch: 3,
  passwordHash: 'hash of right',
}

function world({ waits = {} as Record<string, number> } = {}) {
  const trace: string[] = []
  const limit = (name: string): Limit => ({
    async take(key) {
      trace.push(`${name} ${key}`)
      return waits[name] ?? null
    },
    async forget(key) {
      trace.push(`forget ${name} ${key}`)
    },
  })
  const ctx: GuestCtx<'limits' | 'users' | 'passwords'> = {
    address: '203.0.113.7',
    limits: { signInAddress: limit('address'), signInEmail: limit('email'), signUpAddress: limit('sign-up') },
    users: {
      async byEmail(email) {
        trace.push(`look up ${email}`)
        return email === user.email ? user : null
      },
      byId: async () => null,
    },
    passwords: {
      decoy: 'decoy',
      hash: async () => '',
      async verify(password, stored) {
        trace.push(`verify ${stored}`)
        return stored === `hash of ${password}`
      },
    },
  }
  return { ctx, trace }
}

describe('signIn', () => {
  it('answers who it is, without the stored password, and forgets the failed tries', async () => {
    const { ctx, trace } = world()
    const { passwordHash: _, ...signedIn } = user
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
})
