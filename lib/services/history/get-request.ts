import type { RequestDetail } from '#lib/contracts/requests'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { requestDetail } from './request-detail.ts'
import { isRequestId } from './request-id.ts'

/**
 * Returns one request with its receipt, its attempts and, if it was kept, its content.
 * Errors: `not_found`, also for another account's request.
 */
export async function getRequest({ ctx, input }: { ctx: Ctx<'requests'>; input: { id: string } }): Promise<RequestDetail> {
  const { accountId } = ctx.user
  const record = isRequestId(input.id) ? await ctx.requests.find(accountId, input.id) : null
  if (!record) throw new ServiceError('not_found', 'There is no such request.')
  return requestDetail(record, await ctx.requests.history(accountId, record.id))
}
