import type { Pool } from 'pg'
import type { Identities, IdentityRecord } from '../../services/sign-in/sign-in-ports.ts'
import { signedInOf } from '../console/users.ts'
import type { PrismaClient } from '../generated/client.ts'
import { lockOpenUser } from '../ledger/closed-account-guards.ts'
import { inTransaction } from '../transaction.ts'

const REMOVE = `
  delete from identity i using app_user u
  where u.id = i.user_id and u.id = $1 and i.provider = $2
    and (u.password_hash is not null
         or exists (select 1 from identity other where other.user_id = u.id and other.provider <> $2))`

/** Users' identities at GitHub and Google. */
export function createIdentities(pool: Pool, prisma: PrismaClient): Identities {
  return {
    async find(key) {
      const identity = await prisma.identity.findUnique({
        where: { provider_providerAccountId: key },
        include: { user: true },
      })
      return identity && signedInOf(identity.user)
    },
    link: ({ provider, providerAccountId }, userId, at) =>
      inTransaction(pool, async (client) => {
        await lockOpenUser(client, userId)
        const { rowCount } = await client.query(
          `insert into identity (provider, provider_account_id, user_id, created_at) values ($1, $2, $3, $4)
           on conflict do nothing`,
          [provider, providerAccountId, userId, at],
        )
        return rowCount === 1
      }),
    async list(userId) {
      const { rows } = await pool.query<IdentityRecord>(
        'select provider, created_at as "createdAt" from identity where user_id = $1 order by created_at, provider',
        [userId],
      )
      return rows
    },
    remove: (userId, provider) =>
      inTransaction(pool, async (client) => {
        // Without the lock, removing two identities at once could leave no way to sign in.
        await client.query('select 1 from app_user where id = $1 for update', [userId])
        const { rowCount } = await client.query(REMOVE, [userId, provider])
        return (rowCount ?? 0) > 0
      }),
  }
}
