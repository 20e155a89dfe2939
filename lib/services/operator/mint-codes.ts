import type { MintInput, MintResult } from '#lib/contracts/operator-accounts'
import type { Ctx } from '../ports.ts'
import { ServiceError } from '../service-error.ts'

/**
 * Makes redemption codes of one amount, each valid once. Only their hashes are stored, so they appear only in this answer.
 * Errors: `conflict` if this minting was already done.
 */
export async function mintCodes({
  ctx,
  input: { token, amountNano, count, note },
}: {
  ctx: Ctx<'codes' | 'codeHashes' | 'ids' | 'clock'>
  input: MintInput
}): Promise<MintResult> {
  const at = ctx.clock.now()
  const created = Array.from({ length: count }, () => ctx.codeHashes.create())
  const rows = created.map(({ hmac, hint }, mintPlace) => ({
    id: ctx.ids.create('code'),
    codeHmac: hmac,
    hint,
    amountNano: BigInt(amountNano),
    note,
    at,
    expiresAt: null,
    mintToken: token,
    mintPlace,
  }))
  if (!(await ctx.codes.add(rows, ctx.user)))
    throw new ServiceError(
      'conflict',
      'These codes were already created and cannot be shown again. Withdraw them and create new ones.',
    )
  return { codes: created.map(({ code }) => code), amountNano }
}
