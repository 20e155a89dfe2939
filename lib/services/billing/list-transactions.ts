import type { Transaction, TransactionQuery } from '#lib/contracts/billing'
import { formatTimedId } from '#lib/contracts/cursor'
import { pageOf } from '../page-of.ts'
import type { Ctx } from '../ports.ts'
import type { EntryRecord } from './billing-ports.ts'

const transactionOf = (entry: EntryRecord): Transaction => ({
  id: entry.id,
  at: entry.createdAt.toISOString(),
  kind: entry.kind as Transaction['kind'],
  amountNano: entry.amountNano.toString(),
  owedNano: entry.owedNano.toString(),
  reason: entry.reason,
  invoiceUrl: entry.kind === 'top_up' ? entry.invoiceUrl : null,
  receiptUrl: entry.kind === 'top_up' ? entry.receiptUrl : null,
  automatic: entry.kind === 'top_up' && entry.automatic,
})

/** Lists a page of what changed the account's credit, newest first. `next` is the `before` of the next page. */
export async function listTransactions({
  ctx,
  input,
}: {
  ctx: Ctx<'entries'>
  input: TransactionQuery
}): Promise<{ rows: Transaction[]; next: string | null }> {
  // One more row than requested shows whether there is a next page.
  const entries = await ctx.entries.page(ctx.user.accountId, input.before ?? null, input.limit + 1)
  return pageOf(entries, input.limit, transactionOf, ({ createdAt: at, id }) => formatTimedId({ at, id }))
}
