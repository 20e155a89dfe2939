import { composePasswordChangedEmail } from '../mail/emails.ts'
import type { GuestCtx } from '../ports.ts'
import { createBadLinkError } from './bad-link.ts'
import { createTooManyAttemptsError } from './too-many-attempts.ts'

type Needs =
  | 'clock'
  | 'limits'
  | 'passwords'
  | 'oneTimeTokens'
  | 'tokenSecrets'
  | 'userCredentials'
  | 'mailer'
  | 'background'
  | 'signInSettings'

/**
 * Sets a new password with the mailed link, once. Ends all of the user's sessions and links. If nobody had confirmed the address
 * before, also ends keys and webhooks, because a stranger may have made the account in advance.
 * Errors: `bad_link` (token), `rate_limit_exceeded`.
 */
export async function resetPassword({
  ctx,
  input,
}: {
  ctx: GuestCtx<Needs>
  input: { token: string; password: string }
}): Promise<Record<string, never>> {
  const waitMs = await ctx.limits.linkAddress.take(ctx.address)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  const hash = ctx.tokenSecrets.hash(input.token)
  // Only hash the password if the link is valid.
  if (!(await ctx.oneTimeTokens.find(hash, 'reset', ctx.clock.now()))) throw createBadLinkError()
  const passwordHash = await ctx.passwords.hash(input.password)
  const user = await ctx.userCredentials.resetPassword(hash, passwordHash, ctx.clock.now())
  if (!user) throw createBadLinkError()
  // A user who was locked out by somebody else's attempts can sign in again.
  await ctx.limits.signInEmail.reset(user.email)
  const letter = composePasswordChangedEmail(user, ctx.signInSettings, user.unproved)
  ctx.background.defer('the mail after a new password', () => ctx.mailer.send(letter))
  return {}
}
