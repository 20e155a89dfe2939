import type { ChangeResult, UpdateDeploymentInput } from '#lib/contracts/operator'
import type { Ctx } from '../ports.ts'
import { applyChange } from './apply-changes.ts'
import { omitUndefined } from './update-connection.ts'

/** Changes the weight, priority, limits or use of a deployment. Errors: `not_found`, `conflict`. */
export async function updateDeployment({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogWrites'>
  input: UpdateDeploymentInput
}): Promise<ChangeResult> {
  const { id, version, ...value } = input
  return applyChange(ctx, { do: 'set', target: 'deployment', id, version, value: omitUndefined(value) })
}
