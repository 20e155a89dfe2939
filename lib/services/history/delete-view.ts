import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

/** Deletes a view. Errors: `not_found`, also for another user's view. */
export async function deleteView({ ctx, input }: { ctx: Ctx<'views'>; input: { id: string } }): Promise<Record<string, never>> {
  if (!(await ctx.views.remove(ctx.user.userId, input.id))) throw new ServiceError('not_found', 'There is no such view.')
  return {}
}
