import type { OperatorModel } from '#lib/contracts/operator'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { deploymentView, modelView, priceView } from './catalog-views.ts'

/** Returns a model with all versions of its price, its deployments and its groups. Errors: `not_found`. */
export async function getOperatorModel({
  ctx,
  input: { id },
}: {
  ctx: Ctx<'catalogReads' | 'clock'>
  input: { id: string }
}): Promise<OperatorModel> {
  const reads = ctx.catalogReads
  const [model, prices, deployments, groupRows] = await Promise.all([
    reads.model(id, ctx.clock.now()),
    reads.prices(id),
    reads.deployments({ modelId: id }),
    reads.groupsOf(id),
  ])
  if (!model) throw new ServiceError('not_found', 'There is no such model.')
  return { ...modelView(model), prices: prices.map(priceView), deploymentRows: deployments.map(deploymentView), groupRows }
}
