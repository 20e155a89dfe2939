import type { Ctx } from '../ports.ts'

/** Sets the name that somebody is called by. */
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
