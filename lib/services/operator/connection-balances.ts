import type { ChangeResult, OperatorQuery } from '#lib/contracts/operator'
import type { ConnectionBalance, StateBalanceInput } from '#lib/contracts/operator-alerts'
import { DAY_MS } from '../../domain/time-units.ts'
import type { BalanceRecord } from '../alerts/alert-ports.ts'
import { pageOf } from '../page-of.ts'
import type { Ctx } from '../ports.ts'
import { invalidField, ServiceError } from '../service-error.ts'

function balanceView(record: BalanceRecord, kinds: readonly string[], currency: string): ConnectionBalance {
  const { reckonedNano, askedNano, askedCurrency, statedNano, statedAt, askedAt, ...rest } = record
  const left = askedNano ?? reckonedNano
  return {
    ...rest,
    asks: kinds.includes(record.kind),
    leftNano: left === null ? null : String(left),
    from: askedNano !== null ? 'vendor' : reckonedNano !== null ? 'stated' : null,
    currency: askedNano !== null ? askedCurrency : reckonedNano !== null ? currency : null,
    statedNano: statedNano === null ? null : String(statedNano),
    statedAt: statedAt?.toISOString() ?? null,
    askedAt: askedAt?.toISOString() ?? null,
  }
}

/** Lists a page of the remaining balances at vendors, by connection name. */
export async function listBalances({
  ctx,
  input: { before, limit },
}: {
  ctx: Ctx<'balances' | 'vendorBalance' | 'billing'>
  input: Pick<OperatorQuery, 'before' | 'limit'>
}): Promise<{ rows: ConnectionBalance[]; next: string | null }> {
  const found = await ctx.balances.list(before ?? null, limit + 1)
  const view = (record: (typeof found)[number]) => balanceView(record, ctx.vendorBalance.kinds, ctx.billing.currency)
  return pageOf(found, limit, view, ({ name }) => name)
}

const MAX_BACK_MS = 30 * DAY_MS

/**
 * Records the balance at a given time. The recorded cost of our calls since then is subtracted from it.
 * Errors: `not_found`, `conflict`, `invalid_input` (at).
 */
export async function stateBalance({
  ctx,
  input: { id, version, amountNano, at },
}: {
  ctx: Ctx<'balances' | 'clock'>
  input: StateBalanceInput
}): Promise<ChangeResult> {
  const now = ctx.clock.now()
  const since = at === undefined ? now : new Date(at)
  const agoMs = now.getTime() - since.getTime()
  if (agoMs < 0 || agoMs > MAX_BACK_MS) throw invalidField('at', 'Choose a time within the last 30 days.')
  const stated = amountNano === null ? null : { nano: BigInt(amountNano), at: since }
  const outcome = await ctx.balances.stateBalance(ctx.user, id, version, stated)
  if (outcome === 'missing') throw new ServiceError('not_found', 'There is no such connection.')
  if (outcome === 'stale') throw new ServiceError('conflict', 'Somebody else has since entered this balance. Reload the page.')
  return { id, version: version + 1 }
}
