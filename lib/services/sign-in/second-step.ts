import { Secret, TOTP } from 'otpauth'
import { normalizeCode } from '../../domain/redemption-code.ts'
import type { ConsolePorts } from '../ports.ts'
import { ServiceError } from '../service-error.ts'
import type { SecondStep } from './sign-in-ports.ts'
import { createTooManyAttemptsError } from './too-many-attempts.ts'

const PERIOD_S = 30
const SECRET_BYTES = 20
/** Phone clocks may be half a minute off. */
const WINDOW = 1

const totpOf = (secret: string, label = ''): TOTP =>
  new TOTP({
    issuer: 'Tollgate',
    label,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_S,
    secret: Secret.fromBase32(secret),
  })

/** Makes a new secret, in base32. Every app supports SHA-1, six digits and half a minute. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32

/** The URI that an app reads from a QR code. */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString()

/** The 30-second step, counted from 1970, of a typed code; null if it matches none of the steps around `at`. */
export function stepOfCode(secret: string, typed: string, at: Date): number | null {
  const token = typed.replace(/\s/g, '')
  if (!/^\d{6}$/.test(token)) return null
  const delta = totpOf(secret).validate({ token, timestamp: at.getTime(), window: WINDOW })
  return delta === null ? null : Math.floor(at.getTime() / 1000 / PERIOD_S) + delta
}

type Needs = 'clock' | 'limits' | 'secondSteps' | 'recoverySecrets'

async function spendCode(
  ctx: Pick<ConsolePorts, Needs>,
  userId: string,
  { secret }: SecondStep,
  typed: string,
): Promise<boolean> {
  const step = stepOfCode(secret, typed, ctx.clock.now())
  if (step !== null) return ctx.secondSteps.spend(userId, step)
  const code = normalizeCode(typed)
  return code !== null && ctx.secondSteps.spendRecovery(userId, ctx.recoverySecrets.hash(userId, code))
}

/**
 * Accepts a code from the app or a recovery code, each once.
 * Errors: `wrong_code` (code), `rate_limit_exceeded` (by user, from any client).
 */
export async function consumeCode(
  ctx: Pick<ConsolePorts, Needs>,
  userId: string,
  secondStep: SecondStep,
  typed: string,
): Promise<void> {
  // Counted before the check, so that concurrent attempts cannot all pass.
  const waitMs = await ctx.limits.secondStepUser.take(userId)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  if (!(await spendCode(ctx, userId, secondStep, typed)))
    throw new ServiceError('wrong_code', 'This code is incorrect or already used. Wait for the next one.', { field: 'code' })
  await ctx.limits.secondStepUser.reset(userId)
}

/**
 * Checks the second step of a user who has passed the first. Errors: `second_step` if a code is needed and none was given, and
 * those of consumeCode().
 */
export async function checkSecondStep(ctx: Pick<ConsolePorts, Needs>, userId: string, typed: string | null): Promise<void> {
  const secondStep = await ctx.secondSteps.find(userId)
  if (!secondStep?.confirmedAt) return
  if (typed === null) throw new ServiceError('second_step', 'Also enter the code from your authenticator app.', { field: 'code' })
  await consumeCode(ctx, userId, secondStep, typed)
}
