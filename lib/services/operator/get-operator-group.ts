import type { OperatorGroup } from '#lib/contracts/operator-groups'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { groupView } from './views.ts'

/** A group with its models and, where not everybody may choose it, the accounts that may. Errors: `not_found`. */
export async function getOperatorGroup({
  ctx,
  input: { id },
}: {
  ctx: Ctx<'catalogReads'>
  input: { id: string }
}): Promise<OperatorGroup> {
  const [group, members] = await Promise.all([ctx.catalogReads.group(id), ctx.catalogReads.groupMembers(id)])
  if (!group) throw new ServiceError('not_found', 'There is no such group.')
  return { ...groupView(group), ...members }
}
