import type { RequestPage, RequestQuery } from '#lib/contracts/requests'
import { timeOfId } from '../../domain/ids.ts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { requestFilter } from './request-filter.ts'
import { requestRow } from './request-row.ts'

async function runInSearchSlot<T>(ctx: Ctx<'searchSlots'>, find: () => Promise<T>): Promise<T> {
  const release = ctx.searchSlots.acquire(ctx.user.accountId)
  if (release === null)
    throw new ServiceError('rate_limit_exceeded', 'Other searches are in progress. Wait until one finishes.', {
      retryAfterMs: 2000,
    })
  try {
    return await find()
  } finally {
    release()
  }
}

/**
 * Lists a page of the account's requests, newest first. `next` is the `before` of the next page. If few requests match, the page
 * is short, `lookedTo` is the time back to which requests were searched, and `next` continues from there.
 * Errors: `invalid_input` (to, model), `rate_limit_exceeded` while the maximum number of content searches is in progress.
 */
export async function listRequests({
  ctx,
  input,
}: {
  ctx: Ctx<'requests' | 'clock' | 'searchSlots'>
  input: RequestQuery
}): Promise<RequestPage> {
  const { before, limit, ...filters } = input
  const now = ctx.clock.now()
  const filter = requestFilter(filters, now)
  const asOf = now.toISOString()
  // One more row than requested shows whether there is a next page.
  const find = () => ctx.requests.page(ctx.user.accountId, filter, before ?? null, limit + 1)
  const { records, lookedTo } = await (filter.search?.in === 'messages' ? runInSearchSlot(ctx, find) : find())
  const rows = records.slice(0, limit).map(requestRow)
  if (records.length > limit) return { rows, next: rows.at(-1)?.id ?? null, lookedTo: null, asOf }
  return { rows, next: lookedTo, lookedTo: lookedTo === null ? null : timeOfId(lookedTo).toISOString(), asOf }
}
