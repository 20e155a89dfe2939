import type { RequestQuery, RequestRow } from '#lib/contracts/requests'
import type { Ctx } from './ports.ts'
import { isRequestId } from './request-id.ts'
import { requestRow } from './request-row.ts'
import { invalidField } from './service-error.ts'

/**
 * A page of the account's requests, newest first. `next` is the `before` of the page after it.
 * Errors: `invalid_input` (before).
 */
export async function listRequests({
  ctx,
  input,
}: {
  ctx: Ctx<'requests'>
  input: RequestQuery
}): Promise<{ rows: RequestRow[]; next: string | null }> {
  if (input.before !== undefined && !isRequestId(input.before)) {
    throw invalidField('before', 'This is not the id of a request. Start again from the newest ones.')
  }
  const filter = {
    before: input.before ?? null,
    model: input.model ?? null,
    keyId: input.key ?? null,
    status: input.status ?? null,
  }
  // One more than was asked for tells whether there is a page after this one.
  const records = await ctx.requests.page(ctx.user.accountId, filter, input.limit + 1)
  const rows = records.slice(0, input.limit).map(requestRow)
  return { rows, next: records.length > input.limit ? (rows.at(-1)?.id ?? null) : null }
}
