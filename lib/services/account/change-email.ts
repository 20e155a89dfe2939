import { composeEmailChangeEmail, composeExistingAccountEmail } from '../mail/emails.ts'
import type { SessionCtx } from '../ports.ts'
import { invalidField } from '../service-error.ts'
import { checkPassword, type PasswordNeeds } from '../sign-in/check-password.ts'
import { issueToken } from '../sign-in/issue-token.ts'
import { createTooManyAttemptsError } from '../sign-in/too-many-attempts.ts'

type Needs = PasswordNeeds | 'users' | 'oneTimeTokens' | 'tokenSecrets' | 'mailer' | 'background' | 'signInSettings'

/**
 * Mails a link to the address that the user wants to sign in with. Nothing changes until the link is opened. An address that is
 * taken gets the same answer, and its owner gets a mail that says so: the settings show a change that waits, but nobody has its
 * link.
 * Errors: `invalid_input` (email), `rate_limit_exceeded`, and those of checkPassword().
 */
export async function changeEmail({
  ctx,
  input: { email, password },
}: {
  ctx: SessionCtx<Needs>
  input: { email: string; password?: string | undefined }
}): Promise<Record<string, never>> {
  if (email === ctx.user.email) throw invalidField('email', 'This is already your address.')
  await checkPassword(ctx, password, 'password')
  const waitMs = (await ctx.limits.linkEmail.take(ctx.user.userId)) ?? (await ctx.limits.wantedEmail.take(email))
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  const token = await issueToken(ctx, 'email', { userId: ctx.user.userId, email })
  ctx.background.defer('the mail that changes an address', async () => {
    const owner = await ctx.users.byEmail(email)
    if (owner) return ctx.mailer.send(composeExistingAccountEmail(owner, ctx.signInSettings))
    await ctx.mailer.send(composeEmailChangeEmail({ ...ctx.user, email }, ctx.signInSettings.pageUrl('/verify?change', token)))
  })
  return {}
}
