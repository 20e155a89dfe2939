import type { OperatorGroup } from '#lib/contracts/operator-groups'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { groupView } from './catalog-views.ts'

/** Returns a group with its models. Errors: `not_found`. */
export async function getOperatorGroup({
  ctx,
  input: { id },
}: {
  ctx: Ctx<'catalogReads'>
  input: { id: string }
}): Promise<OperatorGroup> {
  const [group, modelIds] = await Promise.all([ctx.catalogReads.group(id), ctx.catalogReads.groupModels(id)])
  if (!group) throw new ServiceError('not_found', 'There is no such group.')
  return { ...groupView(group), modelIds }
}
