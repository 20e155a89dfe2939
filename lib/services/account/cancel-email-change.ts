import type { Ctx } from '../ports.ts'

/** Makes the link that would change the user's address invalid. */
export async function cancelEmailChange({ ctx }: { ctx: Ctx<'oneTimeTokens'> }): Promise<Record<string, never>> {
  await ctx.oneTimeTokens.cancel(ctx.user.userId, 'email')
  return {}
}
