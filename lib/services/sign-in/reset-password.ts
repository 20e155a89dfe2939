import { passwordLetter } from '../mail/letters.ts'
import type { GuestCtx } from '../ports.ts'
import { badLink } from './bad-link.ts'
import { tooManyTries } from './too-many-tries.ts'

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
 * Sets the password of who has the link that was mailed, once. All sessions and links of the user end with it. Where nobody
 * had proved the address before, keys and webhooks go too: a stranger may have made the account in wait for its owner.
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
  if (waitMs !== null) throw tooManyTries(waitMs)
  const hash = ctx.tokenSecrets.hash(input.token)
  // A password is only worked out for who has a link.
  if (!(await ctx.oneTimeTokens.find(hash, 'reset', ctx.clock.now()))) throw badLink()
  const passwordHash = await ctx.passwords.hash(input.password)
  const user = await ctx.userCredentials.resetPassword(hash, passwordHash, ctx.clock.now())
  if (!user) throw badLink()
  // Whoever was kept out by somebody's guesses gets in.
  await ctx.limits.signInEmail.forget(user.email)
  const letter = passwordLetter(user, ctx.signInSettings, user.unproved)
  ctx.background.later('the mail after a new password', () => ctx.mailer.send(letter))
  return {}
}
