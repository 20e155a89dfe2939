import type { SessionCtx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { checkPassword, type PasswordNeeds } from './check-password.ts'
import { consumeCode } from './second-step.ts'

export type Proof = { code?: string | undefined; password?: string | undefined }
export type ProofNeeds = PasswordNeeds | 'secondSteps' | 'recoverySecrets'

/**
 * Asks a signed-in user whose second step is on for a code or the password.
 * Errors: `conflict` if it is off, `wrong_code`, `wrong_password`, `invalid_input` (code), `rate_limit_exceeded`.
 */
export async function reauthenticate(ctx: SessionCtx<ProofNeeds>, { code, password }: Proof): Promise<void> {
  const secondStep = await ctx.secondSteps.find(ctx.user.userId)
  if (!secondStep?.confirmedAt) throw new ServiceError('conflict', 'Two-step verification is off.')
  if (code !== undefined) return consumeCode(ctx, ctx.user.userId, secondStep, code)
  const { passwordHash } = await ctx.userCredentials.find(ctx.user.userId)
  if (password === undefined || passwordHash === null)
    throw invalidField('code', 'Enter a code from your app, or a recovery code.')
  await checkPassword(ctx, password, 'password')
}
