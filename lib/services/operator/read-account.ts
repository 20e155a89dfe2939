import type { Transaction } from '#lib/contracts/billing'
import type { AccountEntriesQuery, AccountRequestsQuery } from '#lib/contracts/operator-accounts'
import type { RequestDetail, RequestPage } from '#lib/contracts/requests'
import type { UsageQuery, UsageReport } from '#lib/contracts/usage'
import { listTransactions } from '../billing/list-transactions.ts'
import { listRequests } from '../history/list-requests.ts'
import { requestDetail } from '../history/request-detail.ts'
import { isRequestId } from '../history/request-id.ts'
import type { ConsolePorts, Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { getUsage } from '../usage/get-usage.ts'
import { createAccountNotFoundError } from './get-account.ts'

/** The context of a read as the account's holder would have it. Only for reads that show no request content. */
async function withAccount<Names extends keyof ConsolePorts>(
  ctx: Ctx<Names | 'operatorAccounts'>,
  accountId: string,
): Promise<Ctx<Names>> {
  if ((await ctx.operatorAccounts.find(accountId)) === null) throw createAccountNotFoundError()
  return { ...ctx, user: { ...ctx.user, accountId } } as unknown as Ctx<Names>
}

/** Returns an account's usage, as on its holder's usage page. Errors: `not_found`, `invalid_input` (range, from, to). */
export async function getAccountUsage({
  ctx,
  input: { id, ...query },
}: {
  ctx: Ctx<'operatorAccounts' | 'clock' | 'usageReports'>
  input: UsageQuery & { id: string }
}): Promise<UsageReport> {
  return getUsage({ ctx: await withAccount<'clock' | 'usageReports'>(ctx, id), input: query })
}

/** Lists a page of what changed an account's credit, newest first. Errors: `not_found`. */
export async function listAccountEntries({
  ctx,
  input: { id, ...query },
}: {
  ctx: Ctx<'operatorAccounts' | 'entries'>
  input: AccountEntriesQuery
}): Promise<{ rows: Transaction[]; next: string | null }> {
  return listTransactions({ ctx: await withAccount<'entries'>(ctx, id), input: query })
}

/** Lists a page of an account's requests, newest first. Errors: `not_found`. */
export async function listAccountRequests({
  ctx,
  input: { id, ...query },
}: {
  ctx: Ctx<'operatorAccounts' | 'requests' | 'clock' | 'searchSlots'>
  input: AccountRequestsQuery
}): Promise<RequestPage> {
  return listRequests({ ctx: await withAccount<'requests' | 'clock' | 'searchSlots'>(ctx, id), input: query })
}

/**
 * Returns one request of an account with its receipt and its attempts, but never its content: neither the messages nor the text
 * of an error, which may quote them. Errors: `not_found`.
 */
export async function getAccountRequest({
  ctx,
  input,
}: {
  ctx: Ctx<'requests'>
  input: { id: string; request: string }
}): Promise<RequestDetail> {
  const record = isRequestId(input.request) ? await ctx.requests.find(input.id, input.request) : null
  if (!record) throw new ServiceError('not_found', 'There is no such request.')
  return { ...requestDetail(record, null), errorText: null }
}
