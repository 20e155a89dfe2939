import type { Balances, VendorBalance } from '../alerts/alert-ports.ts'
import type { BillingSettings } from '../billing/billing-ports.ts'
import type { Clock } from '../ports.ts'
import type { CatalogReads, Sealing } from './operator-ports.ts'
import { unsealConnection } from './test-connection.ts'

const POLL_INTERVAL_MS = 10 * 60_000

interface AskContext {
  clock: Clock
  balances: Balances
  vendorBalance: VendorBalance
  catalogReads: Pick<CatalogReads, 'connection'>
  sealing: Sealing
  billing: Pick<BillingSettings, 'currency'>
}

/**
 * Asks the vendors that support it for their remaining balance, each every ten minutes, by whichever process comes first. Returns
 * how many were asked.
 */
export async function fetchVendorBalances({ ctx }: { ctx: AskContext }): Promise<number> {
  const { balances, vendorBalance, clock } = ctx
  const now = clock.now()
  const due = await balances.claim(vendorBalance.kinds, now, new Date(now.getTime() + POLL_INTERVAL_MS))
  for (const id of due) {
    const record = await ctx.catalogReads.connection(id)
    if (!record) continue
    const result = await vendorBalance
      .fetchBalance(unsealConnection(record, ctx.sealing), ctx.billing.currency)
      // Credentials sealed with another key, for example. The page shows this beside the connection, and the others are still
      // asked.
      .catch(() => ({ ok: false as const, message: 'its settings cannot be read' as const }))
    await balances.recordVendorBalance(id, result, clock.now())
  }
  return due.length
}
