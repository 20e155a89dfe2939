import type { Closing } from '#lib/contracts/account'
import type { Ctx } from './ports.ts'

/** What closing the account would mean now. */
export async function getClosing({ ctx }: { ctx: Ctx<'closings' | 'wallet' | 'userCredentials'> }): Promise<Closing> {
  const { accountId, userId, email } = ctx.user
  const [facts, held, { passwordHash }] = await Promise.all([
    ctx.closings.facts(accountId),
    ctx.wallet.held(accountId),
    ctx.userCredentials.find(userId),
  ])
  return {
    email,
    balanceNano: facts.balanceNano.toString(),
    owedNano: facts.owedNano.toString(),
    heldNano: held.nano.toString(),
    paying: facts.paying,
    keys: facts.keys,
    hasPassword: passwordHash !== null,
  }
}
