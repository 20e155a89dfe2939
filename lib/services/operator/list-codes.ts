import type { CodeQuery, CodeRow } from '#lib/contracts/operator-accounts'
import { idOf, pageOf } from '../page-of.ts'
import type { Ctx } from '../ports.ts'

/**
 * Lists a page of the redemption codes, newest first. Shows only their first group, because the codes themselves are not stored.
 */
export async function listCodes({
  ctx,
  input: { state, before, limit },
}: {
  ctx: Ctx<'codes' | 'clock'>
  input: CodeQuery
}): Promise<{ rows: CodeRow[]; next: string | null }> {
  const found = await ctx.codes.page({ state: state ?? null, after: before ?? null, at: ctx.clock.now() }, limit + 1)
  const view = ({ amountNano, createdAt, redeemedAt, ...code }: (typeof found)[number]): CodeRow => ({
    ...code,
    amountNano: amountNano.toString(),
    createdAt: createdAt.toISOString(),
    redeemedAt: redeemedAt?.toISOString() ?? null,
  })
  return pageOf(found, limit, view, idOf)
}
