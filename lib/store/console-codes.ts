import type { Pool } from 'pg'
import type { Codes, Redeemed } from '../services/billing-ports.ts'
import { creditOnce } from './book-entry.ts'
import { inTransaction } from './console-transaction.ts'
import type { PrismaClient } from './generated/client.ts'

/** Thrown to roll back a code that cannot be credited: it stays good. */
class NotCredited extends Error {}

/** Redemption codes. */
export function createCodes(pool: Pool, prisma: PrismaClient): Codes {
  const redeem = (accountId: string, codeHmac: Uint8Array, at: Date): Promise<Redeemed> =>
    inTransaction(pool, async (client) => {
      // The row's lock decides between two who come at once.
      const { rows } = await client.query<{ id: string; amount_nano: string }>(
        `update redemption_code set redeemed_at = $3, redeemed_by = $2
         where code_hmac = $1 and redeemed_at is null and (expires_at is null or expires_at > $3)
         returning id, amount_nano`,
        [codeHmac, accountId, at],
      )
      const code = rows[0]
      if (!code) return { outcome: 'invalid' }
      const amountNano = BigInt(code.amount_nano)
      const credited = await creditOnce(client, {
        id: `ent_${code.id}`,
        accountId,
        kind: 'code',
        amountNano,
        reason: 'Redemption code',
        actor: 'holder',
        at,
      })
      if (credited.outcome !== 'credited') throw new NotCredited(credited.outcome)
      // Looked at with the purse locked: closing has either not begun, or is seen.
      const closed = await client.query('select from account where id = $1 and closed_at is not null', [accountId])
      if (closed.rowCount !== 0) throw new NotCredited('closed')
      return { outcome: 'redeemed', amountNano, paidOwedNano: credited.paidOwedNano }
    })
  return {
    async add(codes) {
      const data = codes.map(({ at, codeHmac, ...code }) => ({ ...code, codeHmac: Uint8Array.from(codeHmac), createdAt: at }))
      await prisma.redemptionCode.createMany({ data })
    },
    async redeem(accountId, codeHmac, at) {
      try {
        return await redeem(accountId, Buffer.from(codeHmac), at)
      } catch (error) {
        // 22003: the sum does not fit into a bigint.
        if ((error as { code?: unknown }).code === '22003') return { outcome: 'too_much' }
        throw error
      }
    },
  }
}
