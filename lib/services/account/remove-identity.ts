import type { Provider } from '#lib/contracts/sign-in'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

/** Unlinks a provider's sign-in from an account. Errors: `conflict` if there is no other way to sign in. */
export async function removeIdentity({
  ctx,
  input,
}: {
  ctx: Ctx<'identities'>
  input: { provider: Provider }
}): Promise<Record<string, never>> {
  if (!(await ctx.identities.remove(ctx.user.userId, input.provider)))
    throw new ServiceError('conflict', 'Set a password first. There is no other way to sign in to this account.')
  return {}
}
