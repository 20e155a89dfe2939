import { normalizeCode } from '../../domain/redemption-code.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'
import { createTooManyAttemptsError } from '../sign-in/too-many-attempts.ts'

/**
 * Credits the value of a redemption code, once per code. Does not reveal whether a code is wrong, redeemed or no longer valid,
 * except to the account that redeemed it.
 * Errors: `invalid_input` (code), `not_allowed` for the account of the person who minted it and for an owner's, unless an owner
 * minted it, `conflict` if the account was closed in the meantime, `rate_limit_exceeded`.
 */
export async function redeemCode({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'limits' | 'codes' | 'codeHashes'>
  input: { code: string }
}): Promise<{ amountNano: string; paidOwedNano: string }> {
  const { accountId } = ctx.user
  const waitMs = await ctx.limits.redeemAccount.take(accountId)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  const code = normalizeCode(input.code)
  const result = code === null ? null : await ctx.codes.redeem(accountId, ctx.codeHashes.hash(code), ctx.clock.now())
  if (result?.outcome === 'too_much') throw invalidField('code', 'The balance would exceed its maximum.')
  if (result?.outcome === 'closed')
    throw new ServiceError('conflict', 'This account has since been closed. The code is still valid.')
  if (result?.outcome === 'own') throw invalidField('code', 'You have already redeemed this code. Its amount is in your balance.')
  if (result?.outcome === 'own_minting')
    throw new ServiceError(
      'not_allowed',
      'This code was created by somebody of this account, so only an owner can redeem it here. Ask an owner for credit.',
    )
  if (result?.outcome === 'owners')
    throw new ServiceError(
      'not_allowed',
      "This code was created by somebody who is not an owner, so it cannot be redeemed for an owner's account.",
    )
  if (result?.outcome !== 'redeemed') throw invalidField('code', 'This code is invalid. Check it for typos.')
  return { amountNano: result.amountNano.toString(), paidOwedNano: result.paidOwedNano.toString() }
}
