import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { me } from '#lib/contracts/session'
import { closeAccount } from '#lib/services/account/close-account'
import { getMe } from '#lib/services/account/get-me'
import { grantCredit } from '#lib/services/billing/grant-credit'
import type { SignedInUser } from '#lib/services/ports'
import { signIn } from '#lib/services/sign-in/sign-in'
import { signUp } from '#lib/services/sign-in/sign-up'
import { type ConsoleWorld, NOW, openConsoleWorld, PASSWORD } from './console-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())

const input = (email: string) => ({ name: 'Ada', email, password: PASSWORD })
const purseOf = async (accountId: string) => {
  const { rows } = await world.pool.query('select credit, spent, owed from purse where id = $1', [accountId])
  return rows[0] as { credit: string; spent: string; owed: string }
}
const entriesOf = async (accountId: string) => {
  const { rows } = await world.pool.query('select * from entry where account_id = $1 order by created_at, id', [accountId])
  return rows as { id: string; kind: string; amount_nano: string; owed_nano: string; actor: string }[]
}

describe('signUp', () => {
  it('opens an account, its purse and its user, with nothing in it', async () => {
    await signUp({ ctx: world.guest('10.1.0.1'), input: input('ada@example.com') })
    const user = await world.console.ports.users.byEmail('ada@example.com')
    expect(user).toMatchObject({ name: 'Ada', role: 'holder', sessionEpoch: 0 })
    expect(user?.accountId).toMatch(/^acc_/)
    expect(user?.passwordHash).not.toContain(PASSWORD)
    expect(await purseOf(user?.accountId ?? '')).toEqual({ credit: '0', spent: '0', owed: '0' })
    expect(await entriesOf(user?.accountId ?? '')).toEqual([])
  })

  it('gives the sign-up credit with an entry that explains it', async () => {
    world.settings.signUpCredit = '0.5'
    await signUp({ ctx: world.guest('10.1.0.2'), input: input('credited@example.com') })
    world.settings.signUpCredit = '0'
    const accountId = (await world.console.ports.users.byEmail('credited@example.com'))?.accountId ?? ''
    expect((await purseOf(accountId)).credit).toBe('500000000')
    expect(await entriesOf(accountId)).toMatchObject([{ kind: 'grant', amount_nano: '500000000', owed_nano: '0' }])
  })

  it('gives it to an address once, whoever closes the account and comes again', async () => {
    const email = 'again@example.com'
    const createAccount = async (clientIp: string, accountEmail = email) => {
      await signUp({ ctx: world.guest(clientIp), input: input(accountEmail) })
      const user = await world.console.ports.users.byEmail(accountEmail)
      if (!user) throw new Error('no user')
      return user
    }
    const close = async (user: SignedInUser, forfeitNano: string | null) =>
      closeAccount({ ctx: world.as(user), input: { email: user.email, password: PASSWORD, forfeitNano } })
    world.settings.signUpCredit = '0.5'
    await close(await createAccount('10.1.0.20'), '500000000')
    const secondUser = await createAccount('10.1.0.21')
    expect(await purseOf(secondUser.accountId)).toMatchObject({ credit: '0' })
    expect(await entriesOf(secondUser.accountId)).toEqual([])
    // No credit either for an address that was changed to another, or that was registered before this was recorded.
    await world.pool.query("update app_user set email = 'moved@example.com' where id = $1", [secondUser.userId])
    expect(await purseOf((await createAccount('10.1.0.22')).accountId)).toMatchObject({ credit: '0' })
    await world.pool.query('delete from sign_up_credit')
    const oldUser = await createAccount('10.1.0.23', 'old@example.com')
    await world.pool.query('delete from sign_up_credit')
    await close(oldUser, '500000000')
    expect(await purseOf((await createAccount('10.1.0.24', 'old@example.com')).accountId)).toMatchObject({ credit: '0' })
    world.settings.signUpCredit = '0'
    const { rows } = await world.pool.query<{ hash: Buffer }>('select address_hmac as hash from sign_up_credit')
    expect(rows.map(({ hash }) => hash.length)).toEqual([32])
    expect(rows[0]?.hash.equals(createHash('sha256').update('old@example.com').digest())).toBe(false)
  })

  it('gives it later to who signed up when there was none', async () => {
    const email = 'early@example.com'
    await signUp({ ctx: world.guest('10.1.0.25'), input: input(email) })
    const user = await world.console.ports.users.byEmail(email)
    if (!user) throw new Error('no user')
    await closeAccount({ ctx: world.as(user), input: { email, password: PASSWORD, forfeitNano: null } })
    world.settings.signUpCredit = '0.5'
    await signUp({ ctx: world.guest('10.1.0.26'), input: input(email) })
    world.settings.signUpCredit = '0'
    const recreatedUser = await world.console.ports.users.byEmail(email)
    expect(await purseOf(recreatedUser?.accountId ?? '')).toMatchObject({ credit: '500000000' })
  })

  it('answers a taken address as a free one, leaves nothing behind, and tells its owner', async () => {
    const count = async () => (await world.pool.query('select count(*) as n from account')).rows[0].n as string
    const countBefore = await count()
    await world.console.ports.background.idle()
    world.mails.length = 0
    const firstResult = await signUp({ ctx: world.guest('10.1.0.3'), input: input('bob@example.com') })
    expect(await signUp({ ctx: world.guest('10.1.0.3'), input: input('ada@example.com') })).toEqual(firstResult)
    expect(await count()).toBe(String(Number(countBefore) + 1))
    await world.console.ports.background.idle()
    // Both are sent at the end of their answers: their order does not matter.
    expect(new Map(world.mails.map(({ to, subject }) => [to, subject]))).toEqual(
      new Map([
        ['bob@example.com', 'Confirm your Tollgate email address'],
        ['ada@example.com', 'Your Tollgate email address'],
      ]),
    )
    expect(world.mails.find(({ to }) => to === 'ada@example.com')?.text).not.toContain('#token')
  })

  it('lets two who take the same address at once have one account', async () => {
    const signUps = ['10.1.0.4', '10.1.0.5'].map((clientIp) =>
      signUp({ ctx: world.guest(clientIp), input: input('twice@example.com') }),
    )
    expect(await Promise.all(signUps)).toEqual([{}, {}])
    const { rows } = await world.pool.query("select 1 from app_user where email = 'twice@example.com'")
    expect(rows).toHaveLength(1)
  })

  it('is refused while it is closed', async () => {
    world.settings.signUp = 'closed'
    const refused = signUp({ ctx: world.guest('10.1.0.6'), input: input('late@example.com') })
    await expect(refused).rejects.toMatchObject({ code: 'not_allowed' })
    world.settings.signUp = 'open'
  })

  it('stops an address that signs up without end', async () => {
    const attempts = Array.from({ length: 11 }, () => signUp({ ctx: world.guest('10.1.0.7'), input: input('ada@example.com') }))
    const codes = (await Promise.allSettled(attempts)).map((result) => result.status === 'rejected' && result.reason.code)
    expect(codes.filter((code) => code === 'rate_limit_exceeded')).toHaveLength(1)
  })
})

describe('signIn', () => {
  it('answers who it is', async () => {
    const user = await world.newUser()
    const signedInUser = await signIn({
      ctx: world.guest(),
      input: { email: ` ${user.email.toUpperCase()} `, password: PASSWORD },
    })
    expect(signedInUser).toEqual(user)
  })

  it('refuses a wrong password and an unknown address in the same words', async () => {
    const { email } = await world.newUser()
    const wrongPassword = await signIn({ ctx: world.guest(), input: { email, password: 'something else' } }).catch((e) => e)
    const unknownEmail = await signIn({ ctx: world.guest(), input: { email: 'no@example.com', password: PASSWORD } }).catch(
      (e) => e,
    )
    expect(wrongPassword).toMatchObject({ code: 'wrong_credentials' })
    expect({ ...unknownEmail, message: unknownEmail.message }).toEqual({ ...wrongPassword, message: wrongPassword.message })
  })
})

describe('getMe', () => {
  it('answers what the console needs to know', async () => {
    const user = await world.newUser()
    const profile = me.parse(await getMe({ ctx: world.as(user) }))
    expect(profile).toEqual({
      name: 'A person',
      email: user.email,
      emailVerified: false,
      mail: false,
      role: 'holder',
      accountId: user.accountId,
      suspended: false,
      suspendedReason: null,
      baseUrl: 'http://localhost:3000/v1',
      sandboxOnly: true,
      maintenance: false,
      notice: null,
    })
  })

  it('notices a suspension and a real vendor', async () => {
    const user = await world.newUser()
    await world.pool.query(`update account set suspended_at = now(), suspended_reason = 'abuse' where id = $1`, [user.accountId])
    await world.pool.query(
      `insert into deployment (id, model_id, connection_id, upstream_model) values ('d', 'large', 'con_real', 'x')`,
    )
    expect(await getMe({ ctx: world.as(user) })).toMatchObject({ suspended: true, suspendedReason: 'abuse', sandboxOnly: false })
    await world.pool.query(`delete from deployment where id = 'd'`)
  })
})

describe('grantCredit', () => {
  const grant = (accountId: string, amountNano: bigint, id: string) => ({ id, accountId, amountNano, reason: 'A gift' })

  it('credits once when it is given twice with one id', async () => {
    const [operator, user] = [await world.newUser('operator'), await world.newUser()]
    const call = () => grantCredit({ ctx: world.as(operator), input: grant(user.accountId, 700n, 'ent_once') })
    const results = await Promise.all([call(), call(), call()])
    expect(results.filter(({ credited }) => credited)).toHaveLength(1)
    expect(await call()).toEqual({ credited: false, paidOwedNano: 0n })
    expect((await purseOf(user.accountId)).credit).toBe('700')
    expect(await entriesOf(user.accountId)).toMatchObject([
      { id: 'ent_once', kind: 'grant', amount_nano: '700', actor: operator.userId, created_at: NOW },
    ])
  })

  it('pays what is owed first and adds only the rest', async () => {
    const [operator, user] = [await world.newUser('owner'), await world.newUser()]
    await world.pool.query('update purse set owed = 1000 where id = $1', [user.accountId])
    const giveCredit = (amountNano: bigint, id: string) =>
      grantCredit({ ctx: world.as(operator), input: grant(user.accountId, amountNano, id) })
    expect(await giveCredit(400n, 'ent_part')).toEqual({ credited: true, paidOwedNano: 400n })
    expect(await purseOf(user.accountId)).toEqual({ credit: '0', spent: '0', owed: '600' })
    expect(await giveCredit(1000n, 'ent_rest')).toEqual({ credited: true, paidOwedNano: 600n })
    expect(await purseOf(user.accountId)).toEqual({ credit: '400', spent: '0', owed: '0' })
    expect(await entriesOf(user.accountId)).toMatchObject([
      { id: 'ent_part', amount_nano: '400', owed_nano: '-400' },
      { id: 'ent_rest', amount_nano: '1000', owed_nano: '-600' },
    ])
  })

  it('lifts no suspension', async () => {
    const [operator, user] = [await world.newUser('owner'), await world.newUser()]
    await world.pool.query('update account set suspended_at = now() where id = $1', [user.accountId])
    await grantCredit({ ctx: world.as(operator), input: grant(user.accountId, 5n, 'ent_suspended') })
    expect(await world.console.ports.accounts.suspended(user.accountId)).toBe(true)
  })

  it('refuses an id that belongs to another entry', async () => {
    const [operator, user] = [await world.newUser('operator'), await world.newUser()]
    await grantCredit({ ctx: world.as(operator), input: grant(user.accountId, 1n, 'ent_taken') })
    const other = grantCredit({ ctx: world.as(operator), input: grant(user.accountId, 2n, 'ent_taken') })
    await expect(other).rejects.toMatchObject({ code: 'conflict' })
    expect((await purseOf(user.accountId)).credit).toBe('1')
  })

  it.each(['holder', 'support'] as const)('is not for a %s', async (role) => {
    const user = await world.newUser(role)
    const refused = grantCredit({ ctx: world.as(user), input: grant(user.accountId, 1n, `ent_${role}`) })
    await expect(refused).rejects.toMatchObject({ code: 'not_allowed' })
  })

  it('refuses what cannot be credited', async () => {
    const [operator, user] = [await world.newUser('operator'), await world.newUser()]
    const giveCredit = (accountId: string, amountNano: bigint, id: string) =>
      grantCredit({ ctx: world.as(operator), input: grant(accountId, amountNano, id) })
    await expect(giveCredit('acc_none', 1n, 'ent_none')).rejects.toMatchObject({ code: 'not_found' })
    await expect(giveCredit(user.accountId, 0n, 'ent_zero')).rejects.toMatchObject({ field: 'amountNano' })
    await world.pool.query('update purse set credit = 9223372036854775807 where id = $1', [user.accountId])
    await expect(giveCredit(user.accountId, 1n, 'ent_full')).rejects.toMatchObject({ field: 'amountNano' })
    expect(await entriesOf(user.accountId)).toEqual([])
  })
})
