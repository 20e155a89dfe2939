import { composeEmailChangedEmail } from '../mail/emails.ts'
import type { GuestCtx } from '../ports.ts'
import { createBadLinkError } from './bad-link.ts'
import { createTooManyAttemptsError } from './too-many-attempts.ts'

type Needs = 'clock' | 'limits' | 'tokenSecrets' | 'userCredentials' | 'mailer' | 'background'

/**
 * Does what a mailed link is for, once: confirms its user's address, or changes the address to the one that the link was sent to.
 * Errors: `bad_link` (token), `rate_limit_exceeded`.
 */
export async function confirmEmail({
  ctx,
  input,
}: {
  ctx: GuestCtx<Needs>
  input: { token: string }
}): Promise<{ email: string; changed: boolean }> {
  const waitMs = await ctx.limits.linkAddress.take(ctx.address)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  const user = await ctx.userCredentials.confirmEmail(ctx.tokenSecrets.hash(input.token), ctx.clock.now())
  if (!user) throw createBadLinkError()
  const { before, email } = user
  if (before !== null && before !== email)
    ctx.background.defer('the mail after a change of address', () =>
      ctx.mailer.send(composeEmailChangedEmail({ ...user, email: before }, email)),
    )
  return { email, changed: before !== null }
}
