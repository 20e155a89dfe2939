import { changedLetter } from '../mail/letters.ts'
import type { GuestCtx } from '../ports.ts'
import { badLink } from './bad-link.ts'
import { tooManyTries } from './too-many-tries.ts'

type Needs = 'clock' | 'limits' | 'tokenSecrets' | 'userCredentials' | 'mailer' | 'background'

/**
 * Does what a mailed link is for, once: confirms its user's address, or changes the address to the one that the link was sent to.
 * Errors: `bad_link` (token), `rate_limit_exceeded`.
 */
export async function confirmAddress({
  ctx,
  input,
}: {
  ctx: GuestCtx<Needs>
  input: { token: string }
}): Promise<{ email: string; changed: boolean }> {
  const waitMs = await ctx.limits.linkAddress.take(ctx.address)
  if (waitMs !== null) throw tooManyTries(waitMs)
  const user = await ctx.userCredentials.confirmAddress(ctx.tokenSecrets.hash(input.token), ctx.clock.now())
  if (!user) throw badLink()
  const { before, email } = user
  if (before !== null && before !== email)
    ctx.background.later('the mail after a change of address', () =>
      ctx.mailer.send(changedLetter({ ...user, email: before }, email)),
    )
  return { email, changed: before !== null }
}
