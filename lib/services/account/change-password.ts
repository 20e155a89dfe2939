import { composePasswordChangedEmail } from '../mail/emails.ts'
import type { SessionCtx } from '../ports.ts'
import { checkPassword, type PasswordNeeds } from '../sign-in/check-password.ts'

type Needs = PasswordNeeds | 'mailer' | 'background' | 'signInSettings'

/**
 * Sets a new password, or the first one of a user who signs in through a provider, and ends all other sessions.
 * Errors: those of checkPassword() (current).
 */
export async function changePassword({
  ctx,
  input,
}: {
  ctx: SessionCtx<Needs>
  input: { current?: string | undefined; password: string }
}): Promise<Record<string, never>> {
  await checkPassword(ctx, input.current, 'current')
  const passwordHash = await ctx.passwords.hash(input.password)
  await ctx.userCredentials.setPassword(ctx.user.userId, passwordHash, ctx.user.sessionId, ctx.clock.now())
  ctx.background.defer('the mail after a new password', () =>
    ctx.mailer.send(composePasswordChangedEmail(ctx.user, ctx.signInSettings)),
  )
  return {}
}
