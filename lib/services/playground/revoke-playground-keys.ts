import type { Ctx } from '../ports.ts'

/**
 * Revokes the signed-in user's playground keys, in all of their windows. Called when signing out. Does nothing if there are none.
 */
export async function revokePlaygroundKeys({ ctx }: { ctx: Ctx<'clock' | 'playgroundKeys'> }): Promise<{ revoked: number }> {
  return { revoked: await ctx.playgroundKeys.revoke(ctx.user.userId, ctx.clock.now()) }
}
