/** What the tests of signing in do again and again. */
import { Secret, TOTP } from 'otpauth'
import { confirmSecondStep } from '#lib/services/account/confirm-second-step'
import { startSecondStep } from '#lib/services/account/start-second-step'
import type { SignedIn } from '#lib/services/ports'
import { PASSWORD, type World } from './console-world.ts'

/** The token of the newest mail to somebody. */
export async function tokenTo(world: World, email: string): Promise<string> {
  await world.console.ports.background.idle()
  const mail = world.mails.findLast(({ to, text }) => to === email && text.includes('#token='))
  return /#token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
}

/** Marks the address of somebody as proved, as of now. */
export async function verify(world: World, user: SignedIn): Promise<void> {
  await world.pool.query('update app_user set email_verified_at = $2 where id = $1', [user.userId, world.clock.at])
}

export const codeAt = (secret: string, ms: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms })

/** Switches the second step of somebody on, which spends the code of now. */
export async function turnOn(world: World, user: SignedIn): Promise<{ secret: string; codes: string[] }> {
  const ctx = world.as(user)
  const { secret } = await startSecondStep({ ctx, input: { password: PASSWORD } })
  const { codes } = await confirmSecondStep({ ctx, input: { code: codeAt(secret, world.clock.at.getTime()) } })
  return { secret, codes }
}
