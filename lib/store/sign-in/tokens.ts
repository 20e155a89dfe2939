import type { Pool } from 'pg'
import type { OneTimeTokens } from '../../services/sign-in/sign-in-ports.ts'
import { signedInOf } from '../console/users.ts'
import type { PrismaClient } from '../generated/client.ts'

/** Tokens that are good once. */
export function createOneTimeTokens(pool: Pool, prisma: PrismaClient): OneTimeTokens {
  return {
    async issue({ hash, kind, userId, email, at, expiresAt }) {
      await prisma.$transaction([
        // Those of everybody that are over go too, or they would stay for ever.
        prisma.oneTimeToken.deleteMany({ where: { OR: [{ userId, kind }, { expiresAt: { lte: at } }] } }),
        prisma.oneTimeToken.create({ data: { hash: Uint8Array.from(hash), kind, userId, email, createdAt: at, expiresAt } }),
      ])
    },
    async find(hash, kind, at) {
      const where = { hash: Uint8Array.from(hash), kind, expiresAt: { gt: at } }
      const token = await prisma.oneTimeToken.findUnique({ where, include: { user: true } })
      return token && signedInOf(token.user)
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
