import type { Security } from '#lib/contracts/sign-in'
import type { Ctx } from '../ports.ts'

/** How the user signs in. */
export async function getSecurity({
  ctx,
}: {
  ctx: Ctx<'userCredentials' | 'secondSteps' | 'identities' | 'signInSettings'>
}): Promise<Security> {
  const { userId, email } = ctx.user
  const [{ passwordHash, emailVerified }, secondStep, identities] = await Promise.all([
    ctx.userCredentials.find(userId),
    ctx.secondSteps.find(userId),
    ctx.identities.list(userId),
  ])
  return {
    email,
    emailVerified,
    hasPassword: passwordHash !== null,
    secondStep: secondStep?.confirmedAt
      ? { since: secondStep.confirmedAt.toISOString(), recoveryLeft: secondStep.recoveryLeft }
      : null,
    identities: identities.map(({ provider, createdAt }) => ({ provider, since: createdAt.toISOString() })),
    providers: [...ctx.signInSettings.providers],
    mail: ctx.signInSettings.mail,
  }
}
