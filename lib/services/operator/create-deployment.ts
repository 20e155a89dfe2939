import type { ChangeResult, CreateDeploymentInput } from '#lib/contracts/operator'
import type { Ctx } from '../ports.ts'
import { invalidField } from '../service-error.ts'
import { applyChange } from './apply-changes.ts'

/** Creates a deployment, which lets a connection run a model. Errors: `invalid_input` (connectionId, modelId, upstreamModel). */
export async function createDeployment({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads' | 'catalogWrites' | 'clock' | 'ids'>
  input: CreateDeploymentInput
}): Promise<ChangeResult> {
  const [model, connection] = await Promise.all([
    ctx.catalogReads.model(input.modelId, ctx.clock.now()),
    ctx.catalogReads.connection(input.connectionId),
  ])
  if (!model) throw invalidField('modelId', 'There is no such model.')
  if (!connection || connection.archivedAt)
    throw invalidField('connectionId', 'There is no such connection, or it is archived. Choose another one.')
  return applyChange(ctx, { do: 'add', target: 'deployment', id: ctx.ids.create('dep'), value: input })
}
