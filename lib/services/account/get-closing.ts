import type { Closing } from '#lib/contracts/account'
import type { SessionCtx } from '../ports.ts'
import { signedInRecently } from '../sign-in/signed-in-recently.ts'

/** What closing the account would involve now. */
export async function getClosing({
  ctx,
}: {
  ctx: SessionCtx<'clock' | 'closings' | 'wallet' | 'userCredentials' | 'userSessions'>
}): Promise<Closing> {
  const { accountId, userId, email } = ctx.user
  const [facts, held, { passwordHash }, signedInRecent] = await Promise.all([
    ctx.closings.facts(accountId),
    ctx.wallet.held(accountId),
    ctx.userCredentials.find(userId),
    signedInRecently(ctx),
  ])
  return {
    email,
    balanceNano: facts.balanceNano.toString(),
    owedNano: facts.owedNano.toString(),
    heldNano: held.nano.toString(),
    heldTasks: held.tasks,
    paying: facts.paying,
    keys: facts.keys,
    hasPassword: passwordHash !== null,
    signInAgain: passwordHash === null && !signedInRecent,
  }
}
