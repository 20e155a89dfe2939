import type { Ctx } from '../ports.ts'

/** Ends the playground keys of who is signed in, in all of their windows: done on signing out. Without any, nothing happens. */
export async function revokePlaygroundKeys({ ctx }: { ctx: Ctx<'clock' | 'playgroundKeys'> }): Promise<{ revoked: number }> {
  return { revoked: await ctx.playgroundKeys.revoke(ctx.user.userId, ctx.clock.now()) }
}
