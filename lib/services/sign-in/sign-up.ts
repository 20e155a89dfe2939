import type { SignUpInput } from '#lib/contracts/session'
import { composeExistingAccountEmail } from '../mail/emails.ts'
import type { GuestCtx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import { sendVerificationEmail } from './send-verification.ts'
import { createTooManyAttemptsError } from './too-many-attempts.ts'

type Needs =
  | 'clock'
  | 'ids'
  | 'passwords'
  | 'limits'
  | 'users'
  | 'accounts'
  | 'creditMarks'
  | 'settings'
  | 'oneTimeTokens'
  | 'tokenSecrets'
  | 'mailer'
  | 'background'
  | 'signInSettings'

/**
 * Opens an account with its first user and its sign-up credit, which an address gets once, and mails the link that confirms the
 * address.
 *
 * A taken address gets the same answer after the same work, and its owner gets a mail that says so. Because a new account can be
 * signed in to immediately, somebody who then tries the chosen password can still tell the difference. The limit per client
 * address, and the account created for every free address that is tried, keep this from being done on a large scale.
 * Errors: `not_allowed` while sign-up is closed, `unavailable` during maintenance, `rate_limit_exceeded`.
 */
export async function signUp({ ctx, input }: { ctx: GuestCtx<Needs>; input: SignUpInput }): Promise<Record<string, never>> {
  if (ctx.settings.signUp === 'later')
    throw new ServiceError('unavailable', 'Sign-up is closed during maintenance. Try again later.')
  if (ctx.settings.signUp === 'closed') {
    throw new ServiceError('not_allowed', 'Sign-up is closed. Ask the operator of this gateway for an account.')
  }
  const waitMs = await ctx.limits.signUpAddress.take(ctx.address)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)

  const { name, email } = input
  const passwordHash = await ctx.passwords.hash(input.password)
  const userId = ctx.ids.create('usr')
  const outcome = await ctx.accounts.create({
    accountId: ctx.ids.create('acc'),
    userId,
    name,
    email,
    passwordHash,
    role: 'holder',
    at: ctx.clock.now(),
    emailVerified: false,
    locale: ctx.locale,
    creditNano: ctx.settings.signUpCreditNano,
    creditMark: ctx.creditMarks.of(email),
    historyDays: ctx.settings.historyDays,
  })
  ctx.background.defer('the mail after a sign-up', async () => {
    if (outcome === 'created') return sendVerificationEmail(ctx, { userId, name, email, locale: ctx.locale })
    const owner = await ctx.users.byEmail(email)
    // Mails caused by strangers are counted by recipient, or they could be sent without limit.
    if (owner && (await ctx.limits.wantedEmail.take(email)) === null)
      await ctx.mailer.send(composeExistingAccountEmail(owner, ctx.signInSettings))
  })
  return {}
}
