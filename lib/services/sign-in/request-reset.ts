import { composePasswordResetEmail } from '../mail/emails.ts'
import type { GuestCtx } from '../ports.ts'
import { issueToken } from './issue-token.ts'
import { createTooManyAttemptsError } from './too-many-attempts.ts'

type Needs = 'clock' | 'limits' | 'users' | 'oneTimeTokens' | 'tokenSecrets' | 'mailer' | 'background' | 'signInSettings'

/**
 * Mails the link to set a new password, if the address has an account. This is looked up after the answer is sent, so the answer
 * and its time are the same either way. Errors: `rate_limit_exceeded` (by client address and by email address).
 */
export async function requestReset({
  ctx,
  input: { email },
}: {
  ctx: GuestCtx<Needs>
  input: { email: string }
}): Promise<Record<string, never>> {
  const waitMs = (await ctx.limits.linkAddress.take(ctx.address)) ?? (await ctx.limits.linkEmail.take(email))
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  ctx.background.defer('the mail to set a new password', async () => {
    const user = await ctx.users.byEmail(email)
    if (!user) return
    const token = await issueToken(ctx, 'reset', user)
    await ctx.mailer.send(composePasswordResetEmail(user, ctx.signInSettings.pageUrl('/reset', token)))
  })
  return {}
}
