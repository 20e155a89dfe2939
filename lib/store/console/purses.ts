import type { Pool, PoolClient } from 'pg'
import { formatDecimal } from '../../domain/money.ts'
import type { CreditOutcome, DeductOutcome, NewCredit, Purses } from '../../services/billing/purse-ports.ts'
import type { Actor } from '../../services/operator/operator-ports.ts'
import { canCredit, creditOnce, deductOnce, isCreditOverflow } from '../ledger/book-entry.ts'
import { AccountClosedError, assertAccountOpen } from '../ledger/closed-account-guards.ts'
import { recall } from '../ledger/recall.ts'
import { writeAccountAudit } from '../operator/audit.ts'
import { moneyRefusal } from '../operator/refusals.ts'
import { inTransaction } from '../transaction.ts'

async function balanceOf(client: Pool | PoolClient, accountId: string): Promise<{ balanceNano: bigint; owedNano: bigint }> {
  const { rows } = await client.query<{ balance: string; owed: string }>(
    'select credit - spent as balance, owed from purse where id = $1',
    [accountId],
  )
  return { balanceNano: BigInt(rows[0]?.balance ?? 0), owedNano: BigInt(rows[0]?.owed ?? 0) }
}

/** Writes what was booked to the log, with the purse still locked. */
async function auditBooking(client: PoolClient, by: Actor, verb: string, entry: Omit<NewCredit, 'kind'>): Promise<void> {
  const { balanceNano, owedNano } = await balanceOf(client, entry.accountId)
  const after = {
    amount: formatDecimal(entry.amountNano),
    reason: entry.reason,
    entry: entry.id,
    balance: formatDecimal(balanceNano),
    ...(owedNano > 0n ? { owed: formatDecimal(owedNano) } : {}),
  }
  await writeAccountAudit(client, by, entry.accountId, { verb, before: null, after })
}

/** Books a credit. One by an operator is refused or audited in the same transaction. */
async function bookCredit(client: PoolClient, credit: NewCredit, by: Actor | undefined): Promise<CreditOutcome> {
  const refused = by ? await moneyRefusal(client, by, credit.accountId) : null
  if (refused !== null) return { outcome: refused }
  const outcome = await creditOnce(client, credit)
  if (!by || outcome.outcome !== 'credited') return outcome
  await assertAccountOpen(client, credit.accountId)
  await auditBooking(client, by, 'account.grant', credit)
  return outcome
}

/** Deducts what is free now, if it is enough. */
async function bookDeduction(client: PoolClient, entry: Omit<NewCredit, 'kind'>, by: Actor): Promise<DeductOutcome> {
  const refused = await moneyRefusal(client, by, entry.accountId)
  if (refused !== null) return { outcome: refused }
  const outcome = await deductOnce(client, { ...entry, kind: 'deduction' })
  if (outcome.outcome === 'deducted') await auditBooking(client, by, 'account.deduct', entry)
  return outcome
}

/** What accounts hold and owe, and how they are credited. */
export function createPurses(pool: Pool): Purses {
  return {
    async credit(credit, by) {
      try {
        return await inTransaction(pool, (client) => bookCredit(client, credit, by))
      } catch (error) {
        if (error instanceof AccountClosedError) return { outcome: 'closed' }
        if (isCreditOverflow(error)) return { outcome: 'too_much' }
        throw error
      }
    },
    async deduct(entry, by) {
      const deductFree = () => inTransaction(pool, (client) => bookDeduction(client, entry, by))
      const outcome = await deductFree()
      if (outcome.outcome !== 'not_free') return outcome
      await recall(pool, entry.accountId)
      return deductFree()
    },
    sums: (accountId) => balanceOf(pool, accountId),
    canCredit: (accountId, amountNano) => canCredit(pool, accountId, amountNano),
  }
}
