import type { CodeQuery, CodeRow } from '#lib/contracts/operator-accounts'
import type { Ctx } from '../ports.ts'

/** A page of the redemption codes, newest first: by their first group, for the codes themselves are kept nowhere. */
export async function listCodes({
  ctx,
  input: { state, before, limit },
}: {
  ctx: Ctx<'codes' | 'clock'>
  input: CodeQuery
}): Promise<{ rows: CodeRow[]; next: string | null }> {
  const found = await ctx.codes.page({ state: state ?? null, after: before ?? null, at: ctx.clock.now() }, limit + 1)
  const shown = found.slice(0, limit)
  return {
    rows: shown.map(({ amountNano, createdAt, redeemedAt, ...code }) => ({
      ...code,
      amountNano: amountNano.toString(),
      createdAt: createdAt.toISOString(),
      redeemedAt: redeemedAt?.toISOString() ?? null,
    })),
    next: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}
