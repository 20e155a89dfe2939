import type { ArchiveInput, ChangeResult } from '#lib/contracts/operator'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { applyChange } from './apply-changes.ts'

type Call = { ctx: Ctx<'catalogWrites'>; input: ArchiveInput }

const archive =
  (target: 'connection' | 'model' | 'deployment') =>
  ({ ctx, input }: Call): Promise<ChangeResult> =>
    applyChange(ctx, { do: 'set', target, id: input.id, version: input.version, value: { archived: true } })

/** Archives a connection: its deployments are no longer called. Errors: `not_found`, `conflict`. */
export const archiveConnection = archive('connection')
/** Archives a model: it leaves the catalog but is kept, because usage refers to it. Errors: `not_found`, `conflict`. */
export const archiveModel = archive('model')
/** Archives a deployment. Errors: `not_found`, `conflict`. */
export const archiveDeployment = archive('deployment')

/**
 * Archives a group, so that it can no longer be chosen. Keys that are bound to it keep using it.
 * Errors: `not_found`; `conflict`, also for the default group.
 */
export async function archiveGroup({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogWrites' | 'catalogReads'>
  input: ArchiveInput
}): Promise<ChangeResult> {
  const group = await ctx.catalogReads.group(input.id)
  if (group?.isDefault) throw new ServiceError('conflict', 'This is the default group. Make another one the default first.')
  return applyChange(ctx, { do: 'set', target: 'group', id: input.id, version: input.version, value: { archived: true } })
}
