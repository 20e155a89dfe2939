import type { Pool } from 'pg'
import type { Purses } from '../services/ports.ts'
import { creditOnce } from './book-entry.ts'
import { inTransaction } from './console-transaction.ts'

/** What accounts hold and owe, and how credit reaches them. */
export function createPurses(pool: Pool): Purses {
  return {
    async credit(credit) {
      try {
        return await inTransaction(pool, (client) => creditOnce(client, credit))
      } catch (error) {
        // 22003: the sum does not fit into a bigint.
        if ((error as { code?: unknown }).code === '22003') return { outcome: 'too_much' }
        throw error
      }
    },
    async sums(accountId) {
      const { rows } = await pool.query<{ balance: string; owed: string }>(
        'select credit - spent as balance, owed from purse where id = $1',
        [accountId],
      )
      return { balanceNano: BigInt(rows[0]?.balance ?? 0), owedNano: BigInt(rows[0]?.owed ?? 0) }
    },
  }
}
