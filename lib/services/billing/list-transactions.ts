import type { Transaction, TransactionQuery } from '#lib/contracts/billing'
import type { Ctx } from '../ports.ts'
import { invalidField } from '../service-error.ts'
import type { EntryKey, EntryRecord } from './billing-ports.ts'

const KEY = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z)~(.{1,120})$/

const keyText = ({ createdAt, id }: EntryRecord): string => `${createdAt.toISOString()}~${id}`

function readKey(text: string): EntryKey {
  const [, at = '', id = ''] = KEY.exec(text) ?? []
  const time = new Date(at)
  if (id === '' || id.includes('\0') || Number.isNaN(time.getTime()))
    throw invalidField('before', 'This is not a place in the list. Start again from the newest ones.')
  return { at: time, id }
}

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

/**
 * A page of what changed the account's credit, newest first. `next` is the `before` of the page after it.
 * Errors: `invalid_input` (before).
 */
export async function listTransactions({
  ctx,
  input,
}: {
  ctx: Ctx<'entries'>
  input: TransactionQuery
}): Promise<{ rows: Transaction[]; next: string | null }> {
  const before = input.before === undefined ? null : readKey(input.before)
  // One more than was asked for tells whether there is a page after this one.
  const entries = await ctx.entries.page(ctx.user.accountId, before, input.limit + 1)
  const shown = entries.slice(0, input.limit)
  const last = shown.at(-1)
  return { rows: shown.map(transactionOf), next: entries.length > input.limit && last ? keyText(last) : null }
}
