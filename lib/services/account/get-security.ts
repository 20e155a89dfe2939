import type { Security } from '#lib/contracts/sign-in'
import type { Ctx } from '../ports.ts'

/** How the user signs in. */
export async function getSecurity({
  ctx,
}: {
  ctx: Ctx<'userCredentials' | 'oneTimeTokens' | 'secondSteps' | 'identities' | 'signInSettings' | 'clock'>
}): Promise<Security> {
  const { userId, email } = ctx.user
  const [{ passwordHash, emailVerified }, newEmail, secondStep, identities] = await Promise.all([
    ctx.userCredentials.find(userId),
    ctx.oneTimeTokens.pending(userId, 'email', ctx.clock.now()),
    ctx.secondSteps.find(userId),
    ctx.identities.list(userId),
  ])
  return {
    email,
    emailVerified,
    newEmail: newEmail && { email: newEmail.email, expiresAt: newEmail.expiresAt.toISOString() },
    hasPassword: passwordHash !== null,
    secondStep: secondStep?.confirmedAt
      ? { since: secondStep.confirmedAt.toISOString(), recoveryLeft: secondStep.recoveryLeft }
      : null,
    identities: identities.map(({ provider, createdAt }) => ({ provider, since: createdAt.toISOString() })),
    providers: [...ctx.signInSettings.providers],
    mail: ctx.signInSettings.mail,
  }
}
