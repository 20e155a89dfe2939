import type { SignUpInput } from '#lib/contracts/session'
import type { GuestCtx } from './ports.ts'
import { invalidField, ServiceError } from './service-error.ts'
import { tooManyTries } from './too-many-tries.ts'

type Needs = 'clock' | 'ids' | 'passwords' | 'limits' | 'accounts' | 'settings'

/**
 * Opens an account with its first user and its sign-up credit.
 *
 * A taken address is a refusal of the field `email` whose words do not say that it is taken, and the
 * password is worked out before the database is asked, so that the answer takes as long either way. It
 * can still be told by who tries often enough to be stopped by the limit per address: without sending
 * mail there is no honest way to keep it from them.
 * Errors: `not_allowed` while sign-up is closed, `rate_limit_exceeded`, `invalid_input` (email).
 */
export async function signUp({ ctx, input }: { ctx: GuestCtx<Needs>; input: SignUpInput }): Promise<Record<string, never>> {
  if (ctx.settings.signUp === 'closed') {
    throw new ServiceError('not_allowed', 'Sign-up is closed here. Ask whoever runs this gateway for an account.')
  }
  const waitMs = await ctx.limits.signUpAddress.take(ctx.address)
  if (waitMs !== null) throw tooManyTries(waitMs)

  const passwordHash = await ctx.passwords.hash(input.password)
  const outcome = await ctx.accounts.create({
    accountId: ctx.ids.create('acc'),
    userId: ctx.ids.create('usr'),
    name: input.name,
    email: input.email,
    passwordHash,
    role: 'holder',
    at: ctx.clock.now(),
    creditNano: ctx.settings.signUpCreditNano,
  })
  if (outcome === 'email_taken') {
    throw invalidField('email', 'This email address cannot be used. Sign in if you have an account, or take another address.')
  }
  return {}
}
