import type { Changed, UpdateDeploymentInput } from '#lib/contracts/operator'
import type { Ctx } from '../ports.ts'
import { makeChange } from './make-changes.ts'
import { named } from './update-connection.ts'

/** Changes the weight, priority, limits or use of a deployment. Errors: `not_found`, `conflict`. */
export async function updateDeployment({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogWrites'>
  input: UpdateDeploymentInput
}): Promise<Changed> {
  const { id, version, ...value } = input
  return makeChange(ctx, { do: 'set', target: 'deployment', id, version, value: named(value) })
}
