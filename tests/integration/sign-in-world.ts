/** What the tests of signing in need repeatedly. */
import { Secret, TOTP } from 'otpauth'
import { confirmSecondStep } from '#lib/services/account/confirm-second-step'
import { startSecondStep } from '#lib/services/account/start-second-step'
import type { SignedInUser } from '#lib/services/ports'
import { type ConsoleWorld, PASSWORD } from './console-world.ts'

/** The token in the newest mail to somebody. */
export async function findLatestToken(world: ConsoleWorld, email: string): Promise<string> {
  await world.console.ports.background.idle()
  const mail = world.mails.findLast(({ to, text }) => to === email && text.includes('#token='))
  return /#token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
}

/** Marks somebody's email address as verified now. */
export async function markEmailVerified(world: ConsoleWorld, user: SignedInUser): Promise<void> {
  await world.pool.query('update app_user set email_verified_at = $2 where id = $1', [user.userId, world.clock.at])
}

export const totpCodeAt = (secret: string, ms: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms })

/** Turns on somebody's two-step verification, which uses up the current code. */
export async function enableSecondStep(world: ConsoleWorld, user: SignedInUser): Promise<{ secret: string; codes: string[] }> {
  const ctx = world.as(user)
  const { secret } = await startSecondStep({ ctx, input: { password: PASSWORD } })
  const { codes } = await confirmSecondStep({ ctx, input: { code: totpCodeAt(secret, world.clock.at.getTime()) } })
  return { secret, codes }
}
