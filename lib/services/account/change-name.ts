import type { Ctx } from '../ports.ts'

/** Changes the user's display name. */
export async function changeName({
  ctx,
  input,
}: {
  ctx: Ctx<'userCredentials'>
  input: { name: string }
}): Promise<Record<string, never>> {
  await ctx.userCredentials.rename(ctx.user.userId, input.name)
  return {}
}
