import type { ConnectionDetail } from '#lib/contracts/operator-connections'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { connectionView } from './catalog-views.ts'
import type { ConnectionRecord } from './operator-ports.ts'

/** A connection as it is stored. Errors: `not_found`. */
export async function findConnection(ctx: Ctx<'catalogReads'>, id: string): Promise<ConnectionRecord> {
  const found = await ctx.catalogReads.connection(id)
  if (!found) throw new ServiceError('not_found', 'There is no such connection.')
  return found
}

/** Returns one connection, without its secrets, and the models that only it runs. Errors: `not_found`. */
export async function getConnection({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads' | 'sealing'>
  input: { id: string }
}): Promise<ConnectionDetail> {
  const record = await findConnection(ctx, input.id)
  return { ...connectionView(record, ctx.sealing), soleModels: await ctx.catalogReads.soleModels(record.id) }
}
