import type { ArchiveInput, Changed } from '#lib/contracts/operator'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { makeChange } from './make-changes.ts'

type Call = { ctx: Ctx<'catalogWrites'>; input: ArchiveInput }

const archive =
  (target: 'connection' | 'model' | 'deployment') =>
  ({ ctx, input }: Call): Promise<Changed> =>
    makeChange(ctx, { do: 'set', target, id: input.id, version: input.version, value: { archived: true } })

/** Takes a connection out of use, and keeps it: its deployments are not called any more. Errors: `not_found`, `conflict`. */
export const archiveConnection = archive('connection')
/** Takes a model out of the catalog, and keeps it: usage refers to it. Errors: `not_found`, `conflict`. */
export const archiveModel = archive('model')
/** Takes a deployment out of use. Errors: `not_found`, `conflict`. */
export const archiveDeployment = archive('deployment')

/**
 * Takes a group out of the choice. Keys that are bound to it go on with it.
 * Errors: `not_found`; `conflict`, for the default group as well.
 */
export async function archiveGroup({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogWrites' | 'catalogReads'>
  input: ArchiveInput
}): Promise<Changed> {
  const group = await ctx.catalogReads.group(input.id)
  if (group?.isDefault) throw new ServiceError('conflict', 'This is the default group. Make another one the default first.')
  return makeChange(ctx, { do: 'set', target: 'group', id: input.id, version: input.version, value: { archived: true } })
}
