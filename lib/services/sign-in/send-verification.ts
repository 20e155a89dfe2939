import { composeVerificationEmail } from '../mail/emails.ts'
import type { Recipient } from '../mail/mail-ports.ts'
import type { ConsolePorts, Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { issueToken } from './issue-token.ts'
import { createTooManyAttemptsError } from './too-many-attempts.ts'

/** Mails a user the link that confirms their address. */
export async function sendVerificationEmail(
  ctx: Pick<ConsolePorts, 'clock' | 'oneTimeTokens' | 'tokenSecrets' | 'mailer' | 'signInSettings'>,
  user: Recipient & { userId: string },
): Promise<void> {
  const token = await issueToken(ctx, 'verify', user)
  await ctx.mailer.send(composeVerificationEmail(user, ctx.signInSettings.pageUrl('/verify', token)))
}

/**
 * Resends the link that confirms the address. Earlier links become invalid.
 * Errors: `conflict` if the address is already confirmed, `rate_limit_exceeded`.
 */
export async function sendVerification({
  ctx,
}: {
  ctx: Ctx<'clock' | 'limits' | 'userCredentials' | 'oneTimeTokens' | 'tokenSecrets' | 'mailer' | 'background' | 'signInSettings'>
}): Promise<Record<string, never>> {
  const { emailVerified } = await ctx.userCredentials.find(ctx.user.userId)
  if (emailVerified) throw new ServiceError('conflict', 'This address is already confirmed.')
  const waitMs = await ctx.limits.linkEmail.take(ctx.user.email)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  ctx.background.defer('the mail that confirms an address', () => sendVerificationEmail(ctx, ctx.user))
  return {}
}
