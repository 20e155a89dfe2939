import type { Pool, PoolClient } from 'pg'
import type { Role } from '../../contracts/session.ts'
import type { Recipient } from '../../services/mail/mail-ports.ts'
import type {
  ResumeOutcome,
  RoleChange,
  RoleOutcome,
  SecondStepReset,
  SuspendOutcome,
} from '../../services/operator/operator-account-ports.ts'
import type { Actor } from '../../services/operator/operator-ports.ts'
import { endPlaygroundKeys } from '../console/playground.ts'
import { DEBT_REASON } from '../ledger/book-entry.ts'
import { notifyChange } from '../notify-change.ts'
import { removeSecondStep } from '../sign-in/second-steps.ts'
import { inTransaction } from '../transaction.ts'
import { writeAccountAudit } from './audit.ts'
import { accessRefusal, isOwner } from './refusals.ts'

interface LockedAccount {
  suspended_at: Date | null
  suspended_reason: string | null
  closed_at: Date | null
  owed: string
}

/** Locks the purse and then the account, in the same order as booking a debt. */
async function lockAccount(client: PoolClient, accountId: string): Promise<LockedAccount | null> {
  const purse = await client.query<{ owed: string }>('select owed from purse where id = $1 for update', [accountId])
  const account = await client.query<Omit<LockedAccount, 'owed'>>(
    'select suspended_at, suspended_reason, closed_at from account where id = $1 for update',
    [accountId],
  )
  const [found] = account.rows
  return found ? { ...found, owed: purse.rows[0]?.owed ?? '0' } : null
}

/** Suspends an account. One that a debt already suspends then stays suspended when the debt is paid. */
export const suspendAccount = (pool: Pool, actor: Actor, accountId: string, reason: string, at: Date): Promise<SuspendOutcome> =>
  inTransaction(pool, async (client) => {
    const found = await lockAccount(client, accountId)
    if (!found) return 'not_found'
    if (found.closed_at !== null) return 'closed'
    if (found.suspended_at !== null && found.suspended_reason !== DEBT_REASON) return 'already'
    const refused = await accessRefusal(client, actor, accountId)
    if (refused !== null) return refused
    await client.query('update account set suspended_at = coalesce(suspended_at, $2), suspended_reason = $3 where id = $1', [
      accountId,
      at,
      reason,
    ])
    const before = { suspended: found.suspended_reason }
    await writeAccountAudit(client, actor, accountId, { verb: 'account.suspend', before, after: { suspended: reason } })
    await notifyChange(client, 'account', accountId)
    return 'done'
  })

/** Ends an operator's suspension. A debt continues to suspend the account. */
export const resumeAccount = (pool: Pool, actor: Actor, accountId: string): Promise<ResumeOutcome> =>
  inTransaction(pool, async (client) => {
    const found = await lockAccount(client, accountId)
    if (!found) return 'not_found'
    if (found.closed_at !== null) return 'closed'
    if (found.suspended_at === null) return 'already'
    const refused = await accessRefusal(client, actor, accountId)
    if (refused !== null) return refused
    const owes = BigInt(found.owed) > 0n
    if (owes && found.suspended_reason === DEBT_REASON) return 'owes'
    await client.query(
      `update account set suspended_reason = $2, suspended_at = case when $2::text is null then null else suspended_at end where id = $1`,
      [accountId, owes ? DEBT_REASON : null],
    )
    const [before, after] = [{ suspended: found.suspended_reason }, { suspended: owes ? DEBT_REASON : null }]
    await writeAccountAudit(client, actor, accountId, { verb: 'account.resume', before, after })
    await notifyChange(client, 'account', accountId)
    return owes ? 'owes' : 'done'
  })

interface Person extends Recipient {
  account_id: string
  role: Role
  proved: boolean
}

async function lockPerson(client: PoolClient, personId: string): Promise<Person | null> {
  const { rows } = await client.query<Person>(
    'select account_id, email, name, locale, role, email_verified_at is not null as proved from app_user where id = $1 for no key update',
    [personId],
  )
  return rows[0] ?? null
}

async function endSessions(client: PoolClient, personId: string, at: Date): Promise<number> {
  const { rowCount } = await client.query('delete from user_session where user_id = $1', [personId])
  await endPlaygroundKeys(client, personId, at)
  return rowCount ?? 0
}

/** Why a role stays as it is, or null if it may change. `owners` are all owners, locked. */
function roleRefusal(
  actor: Actor,
  owners: readonly string[],
  { personId, from, to }: RoleChange,
  person: Person,
): RoleOutcome | null {
  if (!owners.includes(actor.userId)) return 'not_owner'
  if (personId === actor.userId) return 'own'
  if (person.role !== from) return 'stale'
  return to !== 'holder' && !person.proved ? 'unproved' : null
}

/**
 * Gives somebody another role. All owners are locked in a fixed order: if two take the role from each other, one is first, and
 * the other is no longer an owner. Nobody can change their own role, so there is always an owner left.
 */
export const setRole = (pool: Pool, actor: Actor, change: RoleChange, at: Date): Promise<RoleOutcome> =>
  inTransaction(pool, async (client) => {
    const { personId, to } = change
    const { rows } = await client.query<{ id: string }>(
      `select id from app_user where role = 'owner' order by id for no key update`,
    )
    const person = await lockPerson(client, personId)
    if (!person) return 'not_found'
    const refused = roleRefusal(
      actor,
      rows.map(({ id }) => id),
      change,
      person,
    )
    if (refused !== null) return refused
    await client.query('update app_user set role = $2 where id = $1', [personId, to])
    await endSessions(client, personId, at)
    const subject = { person: person.email, person_id: personId }
    const [before, after] = [
      { ...subject, role: person.role },
      { ...subject, role: to },
    ]
    await writeAccountAudit(client, actor, person.account_id, { verb: 'person.role', before, after })
    return 'done'
  })

/** Ends all sessions of somebody, and the playground keys made in them. Only an owner can do this for another owner. */
export const signOutPerson = (pool: Pool, actor: Actor, personId: string, at: Date): Promise<number | 'owners' | null> =>
  inTransaction(pool, async (client) => {
    const person = await lockPerson(client, personId)
    if (!person) return null
    if (person.role === 'owner' && !(await isOwner(client, actor))) return 'owners'
    const ended = await endSessions(client, personId, at)
    const after = { person: person.email, person_id: personId, sessions: ended }
    await writeAccountAudit(client, actor, person.account_id, { verb: 'person.sign_out', before: null, after })
    return ended
  })

/**
 * Turns off the two-step verification of somebody who has lost their device and their recovery codes, and ends their sessions. One's
 * own takes a code or the password (reauthenticate()), so that a stolen session is not enough.
 */
export const resetSecondStep = (pool: Pool, actor: Actor, personId: string, at: Date): Promise<SecondStepReset> =>
  inTransaction<SecondStepReset>(pool, async (client) => {
    if (!(await isOwner(client, actor))) return { outcome: 'not_owner' }
    if (personId === actor.userId) return { outcome: 'own' }
    const person = await lockPerson(client, personId)
    if (!person) return { outcome: 'not_found' }
    if (!(await removeSecondStep(client, personId))) return { outcome: 'off' }
    const sessions = await endSessions(client, personId, at)
    const after = { person: person.email, person_id: personId, sessions }
    await writeAccountAudit(client, actor, person.account_id, { verb: 'person.reset_second_step', before: null, after })
    const { name, email, locale } = person
    return { outcome: 'done', person: { name, email, locale } }
  })
