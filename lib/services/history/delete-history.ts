import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { isRequestId } from './request-id.ts'

/**
 * Deletes the content of one request, with the files it made. Its record and receipt stay. Deleting it again changes nothing.
 * Errors: `not_found`, also for another account's request.
 */
export async function deleteHistory({
  ctx,
  input,
}: {
  ctx: Ctx<'requests' | 'histories' | 'media'>
  input: { id: string }
}): Promise<Record<string, never>> {
  const { accountId } = ctx.user
  const record = isRequestId(input.id) ? await ctx.requests.find(accountId, input.id) : null
  if (!record) throw new ServiceError('not_found', 'There is no such request.')
  await ctx.media.remove(await ctx.histories.remove(accountId, { id: record.id, at: record.at }))
  return {}
}
