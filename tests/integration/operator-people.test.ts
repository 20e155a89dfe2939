import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Role } from '#lib/contracts/session'
import type { SignedInUser } from '#lib/services/ports'
import { type ConsoleWorld, openConsoleWorld, provideConsole } from './console-world.ts'
import { createCaller } from './operator-world.ts'
import { enableSecondStep } from './sign-in-world.ts'

const routes = {
  'people/[id]/role': await import('#app/api/operator/people/[id]/role/route'),
  'people/[id]/sign-out': await import('#app/api/operator/people/[id]/sign-out/route'),
  'people/[id]/reset-second-step': await import('#app/api/operator/people/[id]/reset-second-step/route'),
  'accounts/[id]': await import('#app/api/operator/accounts/[id]/route'),
  'accounts/[id]/revoke-key': await import('#app/api/operator/accounts/[id]/revoke-key/route'),
  'accounts/[id]/grant': await import('#app/api/operator/accounts/[id]/grant/route'),
}

let world: ConsoleWorld
let call: ReturnType<typeof createCaller>
beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  call = createCaller(world, routes)
})
afterAll(() => world.close())

/** Makes somebody whose email address is verified. */
async function person(role: Role = 'holder'): Promise<SignedInUser> {
  const user = await world.newUser(role)
  await world.pool.query('update app_user set email_verified_at = now() where id = $1', [user.userId])
  return user
}
const roleOf = async ({ userId }: SignedInUser) =>
  (await world.pool.query('select role from app_user where id = $1', [userId])).rows[0].role as Role
const change = async (as: SignedInUser, target: SignedInUser, to: Role, from?: Role) =>
  call('POST', `people/${target.userId}/role`, as, { from: from ?? (await roleOf(target)), to })
const signOut = (as: SignedInUser, target: SignedInUser) => call('POST', `people/${target.userId}/sign-out`, as, {})
const readMeStatus = async (as: SignedInUser) => (await world.call((await import('#app/api/me/route')).GET, { as })).status
const sessions = async ({ userId }: SignedInUser) =>
  (await world.pool.query('select id from user_session where user_id = $1', [userId])).rows.length
const logOf = async (id: string) =>
  (await world.pool.query('select verb, actor, before, after from audit_log where target_id = $1 order by id', [id])).rows
/** Takes the owner role from everybody else, so that a test has only its own owners. */
const demoteOtherOwners = (...owners: SignedInUser[]) =>
  world.pool.query(`update app_user set role = 'holder' where role = 'owner' and id <> all ($1)`, [
    owners.map(({ userId }) => userId),
  ])

describe('a role', () => {
  it('is given by an owner, ends the person’s sessions and is in the log', async () => {
    const [owner, target] = [await person('owner'), await person()]
    expect((await change(owner, target, 'operator')).status).toBe(200)
    expect(await roleOf(target)).toBe('operator')
    expect(await sessions(target)).toBe(0)
    expect(await logOf(target.accountId)).toEqual([
      {
        verb: 'person.role',
        actor: owner.email,
        before: { person: target.email, person_id: target.userId, role: 'holder' },
        after: { person: target.email, person_id: target.userId, role: 'operator' },
      },
    ])
  })

  it('is given by nobody else', async () => {
    for (const role of ['operator', 'support', 'holder'] as const) {
      const [as, target] = [await person(role), await person()]
      for (const to of ['owner', 'operator', 'support'] as const)
        expect(await change(as, target, to), `${role} gives ${to}`).toMatchObject({
          status: 403,
          body: { error: { code: 'not_allowed' } },
        })
      expect(await roleOf(target)).toBe('holder')
      expect(await logOf(target.accountId)).toEqual([])
    }
  })

  it('is never one’s own to change', async () => {
    const owner = await person('owner')
    await person('owner')
    for (const to of ['holder', 'operator'] as const) expect((await change(owner, owner, to)).status).toBe(403)
    expect(await roleOf(owner)).toBe('owner')
  })

  it('is not given to an address that nobody has confirmed', async () => {
    const [owner, stranger] = [await person('owner'), await world.newUser()]
    expect((await change(owner, stranger, 'support')).status).toBe(409)
    expect(await roleOf(stranger)).toBe('holder')
  })

  it('that somebody else has changed since is refused', async () => {
    const [owner, target] = [await person('owner'), await person()]
    const both = await Promise.all([change(owner, target, 'support', 'holder'), change(owner, target, 'operator', 'holder')])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409])
    expect(await logOf(target.accountId)).toHaveLength(1)
  })

  it('of owner does not go with the last one: of two who take it from each other at once one keeps it', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, two] = [await person('owner'), await person('owner')]
      await demoteOtherOwners(one, two)
      const both = await Promise.all([change(one, two, 'holder', 'owner'), change(two, one, 'holder', 'owner')])
      expect(both.filter(({ status }) => status === 200)).toHaveLength(1)
      expect([await roleOf(one), await roleOf(two)].sort()).toEqual(['holder', 'owner'])
    }
  })

  it('of the last owner stays, whoever asks', async () => {
    const owner = await person('owner')
    await demoteOtherOwners(owner)
    const { operatorAccounts } = world.console.ports
    const step = { personId: owner.userId, from: 'owner', to: 'operator' } as const
    expect(await operatorAccounts.setRole({ userId: owner.userId, email: '' }, step, world.clock.at)).toBe('own')
    const other = await person('owner')
    // The other person became an owner a moment ago, and loses the role between the request and the write.
    await demoteOtherOwners(owner)
    expect(await operatorAccounts.setRole({ userId: other.userId, email: '' }, step, world.clock.at)).toBe('not_owner')
    expect(await roleOf(owner)).toBe('owner')
  })

  it('that was taken away is so at once for who would change something', async () => {
    const [owner, operator, holder] = [await person('owner'), await person('operator'), await person()]
    // This process now remembers the person as an operator.
    expect((await call('GET', `accounts/${holder.accountId}`, operator)).status).toBe(200)
    expect((await change(owner, operator, 'support')).status).toBe(200)
    const grant = { token: '0f1c2f1e-52d5-4a57-9d8c-0b6a3f4f2d11', amountNano: '1', reason: 'A reason' }
    expect((await call('POST', `accounts/${holder.accountId}/grant`, operator, grant)).status).toBe(401)
    await expect.poll(() => readMeStatus(operator), { timeout: 10_000 }).toBe(401)
  })

  it.each([
    [{ from: 'holder', to: 'root' }, 'to'],
    [{ to: 'support' }, 'from'],
  ])('%j is refused, and the field is named', async (body, field) => {
    const [owner, target] = [await person('owner'), await person()]
    const answer = await call('POST', `people/${target.userId}/role`, owner, body)
    expect(answer).toMatchObject({ status: 400, body: { error: { field } } })
  })
})

describe('signing out', () => {
  it('ends all sessions of a person and the playground’s keys, and nobody else’s', async () => {
    const [operator, target, other] = [await person('operator'), await person(), await person()]
    const playground = await world.call((await import('#app/api/playground/key/route')).POST, {
      method: 'POST',
      as: target,
      body: { groupId: 'grp_main' },
    })
    expect(playground.status, await playground.clone().text()).toBeLessThan(300)
    expect((await signOut(operator, target)).body).toEqual({ ended: 1 })
    expect([await sessions(target), await sessions(other)]).toEqual([0, 1])
    const keys = await world.pool.query('select revoked_at from api_key where account_id = $1', [target.accountId])
    expect(keys.rows).toEqual([{ revoked_at: world.clock.at }])
    expect(await logOf(target.accountId)).toMatchObject([
      { verb: 'person.sign_out', after: { person: target.email, sessions: 1 } },
    ])
    await expect.poll(() => readMeStatus(target), { timeout: 10_000 }).toBe(401)
    expect(await readMeStatus(other)).toBe(200)
  })

  it('ends an owner’s sessions for another owner alone', async () => {
    const [operator, owner, another] = [await person('operator'), await person('owner'), await person('owner')]
    expect((await signOut(operator, owner)).status).toBe(403)
    expect(await sessions(owner)).toBe(1)
    expect(await logOf(owner.accountId)).toEqual([])
    expect((await signOut(another, owner)).body).toEqual({ ended: 1 })
  })

  it('finds nobody who is not there', async () => {
    const owner = await person('owner')
    expect((await call('POST', 'people/usr_none/sign-out', owner, {})).status).toBe(404)
    expect((await call('POST', 'people/usr_none/role', owner, { from: 'holder', to: 'support' })).status).toBe(404)
  })
})

describe('two-step verification', () => {
  const reset = (as: SignedInUser, target: SignedInUser) => call('POST', `people/${target.userId}/reset-second-step`, as, {})
  const factors = async ({ userId }: SignedInUser) =>
    (
      await world.pool.query(
        `select (select count(*)::int from second_step where user_id = $1) as apps,
                (select count(*)::int from recovery_code where user_id = $1) as codes`,
        [userId],
      )
    ).rows[0]
  async function personWithTwoSteps(role: Role = 'holder'): Promise<SignedInUser> {
    const user = await person(role)
    await enableSecondStep(world, user)
    return user
  }

  it('is reset by an owner: it is off, the sessions end, it is in the log, and the person is told', async () => {
    const [owner, target] = [await person('owner'), await personWithTwoSteps()]
    expect((await reset(owner, target)).body).toEqual({})
    expect(await factors(target)).toEqual({ apps: 0, codes: 0 })
    expect(await sessions(target)).toBe(0)
    expect(await logOf(target.accountId)).toEqual([
      {
        verb: 'person.reset_second_step',
        actor: owner.email,
        before: null,
        after: { person: target.email, person_id: target.userId, sessions: 1 },
      },
    ])
    await world.console.ports.background.idle()
    const mails = world.mails.filter(({ to, text }) => to === target.email && text.includes('An operator of this gateway'))
    expect(mails).toHaveLength(1)
    await expect.poll(() => readMeStatus(target), { timeout: 10_000 }).toBe(401)
    expect(await reset(owner, target)).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } })
    expect(await logOf(target.accountId)).toHaveLength(1)
  })

  it('is reset by nobody else, and by no owner for themselves', async () => {
    const [operator, owner, target] = [await person('operator'), await personWithTwoSteps('owner'), await personWithTwoSteps()]
    for (const [as, whom] of [
      [operator, target],
      [operator, owner],
      [owner, owner],
    ] as const) {
      expect(await reset(as, whom)).toMatchObject({ status: 403, body: { error: { code: 'not_allowed' } } })
      expect(await factors(whom)).toEqual({ apps: 1, codes: 10 })
      expect(await logOf(whom.accountId)).toEqual([])
    }
    expect((await reset(await person('owner'), owner)).status).toBe(200)
  })

  it('that was only begun is not there to be reset', async () => {
    const [owner, target] = [await person('owner'), await person()]
    await world.pool.query(`insert into second_step (user_id, secret_sealed, created_at) values ($1, '\\x00', now())`, [
      target.userId,
    ])
    expect((await reset(owner, target)).status).toBe(409)
    expect(await factors(target)).toEqual({ apps: 1, codes: 0 })
    expect((await call('POST', 'people/usr_none/reset-second-step', owner, {})).status).toBe(404)
  })
})

/** Makes a key for somebody. Returns its id. */
async function keyOf(user: SignedInUser): Promise<string> {
  const created = await world.call((await import('#app/api/keys/route')).POST, {
    method: 'POST',
    as: user,
    body: { name: 'Leaked', groupId: 'grp_main' },
  })
  return ((await created.json()) as { key: { id: string } }).key.id
}

describe('a key of an account', () => {
  it('of an owner is revoked by another owner alone', async () => {
    const [operator, owner, another] = [await person('operator'), await person('owner'), await person('owner')]
    const keyId = await keyOf(owner)
    const revoke = (as: SignedInUser) => call('POST', `accounts/${owner.accountId}/revoke-key`, as, { keyId })
    expect((await revoke(operator)).status).toBe(403)
    expect(await logOf(owner.accountId)).toEqual([])
    expect((await revoke(another)).status).toBe(200)
  })

  it('is revoked for good, once in the log, and not through another account', async () => {
    const [operator, user, other] = [await person('operator'), await person(), await person()]
    const keys = async () => (await call('GET', `accounts/${user.accountId}`, operator)).body.keys
    const keyId = await keyOf(user)
    const revoke = (accountOwner: SignedInUser) =>
      call('POST', `accounts/${accountOwner.accountId}/revoke-key`, operator, { keyId })
    expect((await revoke(other)).status).toBe(404)
    expect(await keys()).toMatchObject([{ state: 'active' }])
    const answers = await Promise.all([revoke(user), revoke(user)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await keys()).toMatchObject([{ state: 'revoked' }])
    expect((await logOf(user.accountId)).map(({ verb }) => verb)).toEqual(['key.revoke'])
    const notifications = await world.pool.query(`select 1 from change where topic = 'key' and ref = $1`, [keyId])
    expect(notifications.rows).toHaveLength(2)
  })
})
