import type { Pool } from 'pg'
import type { OneTimeTokens } from '../../services/sign-in/sign-in-ports.ts'
import { signedInOf } from '../console/users.ts'
import type { PrismaClient } from '../generated/client.ts'
import { lockOpenUser } from '../ledger/closed-account-guards.ts'
import { inTransaction } from '../transaction.ts'

/** Tokens that can be used once. */
export function createOneTimeTokens(pool: Pool, prisma: PrismaClient): OneTimeTokens {
  return {
    issue: ({ hash, kind, userId, email, at, expiresAt }) =>
      inTransaction(pool, async (client) => {
        await lockOpenUser(client, userId)
        // Expired tokens of all users are deleted too, or they would stay forever.
        await client.query('delete from one_time_token where (user_id = $1 and kind = $2) or expires_at <= $3', [
          userId,
          kind,
          at,
        ])
        await client.query(
          'insert into one_time_token (hash, kind, user_id, email, created_at, expires_at) values ($1, $2, $3, $4, $5, $6)',
          [Buffer.from(hash), kind, userId, email, at, expiresAt],
        )
      }),
    async find(hash, kind, at) {
      const where = { hash: Uint8Array.from(hash), kind, expiresAt: { gt: at } }
      const token = await prisma.oneTimeToken.findUnique({ where, include: { user: true } })
      return token && signedInOf(token.user)
    },
    pending: (userId, kind, at) =>
      prisma.oneTimeToken.findFirst({
        where: { userId, kind, expiresAt: { gt: at } },
        select: { email: true, expiresAt: true },
      }),
    async cancel(userId, kind) {
      await pool.query('delete from one_time_token where user_id = $1 and kind = $2', [userId, kind])
    },
    async spend(hash, kind, at) {
      const { rowCount } = await pool.query('delete from one_time_token where hash = $1 and kind = $2 and expires_at > $3', [
        Buffer.from(hash),
        kind,
        at,
      ])
      return rowCount === 1
    },
  }
}
