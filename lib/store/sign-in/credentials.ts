import type { Pool, PoolClient } from 'pg'
import type { Recipient } from '../../services/mail/mail-ports.ts'
import type { ConfirmedEmail, Credentials } from '../../services/sign-in/sign-in-ports.ts'
import { endPlaygroundKeys } from '../console/playground.ts'
import type { PrismaClient } from '../generated/client.ts'
import { lockOpenUser } from '../ledger/closed-account-guards.ts'
import { notifyChange } from '../notify-change.ts'
import { inTransaction } from '../transaction.ts'
import { isUniqueViolation } from '../unique-violation.ts'

interface SpentToken {
  user_id: string
  kind: string
  email: string
}

/**
 * Takes a token out of the table. Locks its user first, like everything that changes how somebody signs in. The row's lock
 * decides between two callers at once.
 */
async function spendToken(client: PoolClient, hash: Uint8Array, kinds: readonly string[], at: Date): Promise<SpentToken | null> {
  await client.query('select from app_user where id = (select user_id from one_time_token where hash = $1) for no key update', [
    Buffer.from(hash),
  ])
  const { rows } = await client.query<SpentToken>(
    `delete from one_time_token where hash = $1 and kind = any($2) and expires_at > $3 returning user_id, kind, email`,
    [Buffer.from(hash), kinds, at],
  )
  return rows[0] ?? null
}

const endTokens = (client: PoolClient, userId: string) => client.query('delete from one_time_token where user_id = $1', [userId])

// A token proves the address that it was sent to, and no later one.
const VERIFY = `
  update app_user set email_verified_at = coalesce(email_verified_at, $3) where id = $1 and email = $2
  returning name, email, locale, null as before`

const CHANGE = `
  with old as (select id, email from app_user where id = $1 for update)
  update app_user u set email = $2, email_verified_at = $3 from old where u.id = old.id
  returning u.name, u.email, u.locale, old.email as before`

// Accounts of operators and owners are created by the gateway's first start, and by nobody else.
const RESET = `
  with old as (select id, email_verified_at is null and role = 'holder' as unproved from app_user where id = $1 and email = $2 for no key update)
  update app_user u set password_hash = $3, session_epoch = session_epoch + 1,
         email_verified_at = coalesce(u.email_verified_at, $4)
  from old where u.id = old.id returning u.name, u.email, u.locale, old.unproved`

/** An account has one person, and their name: operators look for it by what its holder signs with. */
const RENAME = `
  with renamed as (update app_user set name = $2 where id = $1 returning account_id)
  update account set name = $2 where id = (select account_id from renamed)`

const END_KEYS = `
  update api_key set revoked_at = $2
  where account_id = (select account_id from app_user where id = $1) and revoked_at is null
  returning id`

/** Ends what somebody who created an account with another person's address could still spend and receive. */
async function endStrangersAccess(client: PoolClient, userId: string, at: Date): Promise<void> {
  const { rows } = await client.query<{ id: string }>(END_KEYS, [userId, at])
  await notifyChange(client, 'key', ...rows.map(({ id }) => id))
  await client.query('delete from webhook_endpoint where account_id = (select account_id from app_user where id = $1)', [userId])
}

/** Passwords and email addresses of users. */
export function createCredentials(pool: Pool, prisma: PrismaClient): Credentials {
  const confirm = (hash: Uint8Array, at: Date): Promise<ConfirmedEmail | null> =>
    inTransaction(pool, async (client) => {
      const token = await spendToken(client, hash, ['verify', 'email'], at)
      if (!token) return null
      const { rows } = await client.query<Omit<ConfirmedEmail, 'userId'>>(token.kind === 'verify' ? VERIFY : CHANGE, [
        token.user_id,
        token.email,
        at,
      ])
      const [user] = rows
      if (!user) return null
      // Everything that was mailed to the old address becomes invalid.
      if (user.before !== null) await endTokens(client, token.user_id)
      return { userId: token.user_id, ...user }
    })
  return {
    async find(userId) {
      const user = await prisma.user.findUniqueOrThrow({ where: { id: userId } })
      return { passwordHash: user.passwordHash, emailVerified: user.emailVerifiedAt !== null }
    },
    rename: (userId, name) =>
      inTransaction(pool, async (client) => {
        await lockOpenUser(client, userId)
        await client.query(RENAME, [userId, name])
      }),
    async confirmEmail(hash, at) {
      try {
        return await confirm(hash, at)
      } catch (error) {
        // Somebody else has taken the address since the mail was sent.
        if (isUniqueViolation(error)) return null
        throw error
      }
    },
    resetPassword: (hash, passwordHash, at) =>
      inTransaction(pool, async (client) => {
        const token = await spendToken(client, hash, ['reset'], at)
        if (!token) return null
        const { rows } = await client.query<Recipient & { unproved: boolean }>(RESET, [
          token.user_id,
          token.email,
          passwordHash,
          at,
        ])
        await client.query('delete from user_session where user_id = $1', [token.user_id])
        await endPlaygroundKeys(client, token.user_id, at)
        await endTokens(client, token.user_id)
        if (rows[0]?.unproved) await endStrangersAccess(client, token.user_id, at)
        return rows[0] ?? null
      }),
    setPassword: (userId, passwordHash, keptSessionId, at) =>
      inTransaction(pool, async (client) => {
        await lockOpenUser(client, userId)
        await client.query('update app_user set password_hash = $2 where id = $1', [userId, passwordHash])
        await client.query('delete from user_session where user_id = $1 and id <> $2', [userId, keptSessionId])
        await endPlaygroundKeys(client, userId, at)
        await client.query("delete from one_time_token where user_id = $1 and kind <> 'verify'", [userId])
      }),
  }
}
