import type { Ctx, SessionCtx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

/** Ends one of the user's own sessions. Errors: `not_found`. */
export async function endSession({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'userSessions'>
  input: { id: string }
}): Promise<Record<string, never>> {
  if (!(await ctx.userSessions.end(ctx.user.userId, input.id, ctx.clock.now())))
    throw new ServiceError('not_found', 'There is no such session. It may have ended already.')
  return {}
}

/** Ends all of the user's sessions except the current one. Returns how many. */
export async function endOtherSessions({ ctx }: { ctx: SessionCtx<'clock' | 'userSessions'> }): Promise<{ ended: number }> {
  return { ended: await ctx.userSessions.endOthers(ctx.user.userId, ctx.user.sessionId, ctx.clock.now()) }
}
