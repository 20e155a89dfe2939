import type { AutoTopUpView } from '#lib/contracts/auto-top-up'
import { paymentsLeft } from '../../domain/auto-top-up.ts'
import type { Ctx } from '../ports.ts'
import { startOfMonth, startOfNext } from '../utc.ts'
import type { AutoTopUpRecord } from './card-ports.ts'

interface Facts {
  paymentInProgress: boolean
  paused: boolean
  paidMonthNano: bigint
  now: Date
}

function stateOf(
  record: AutoTopUpRecord | null,
  { paymentInProgress, paused, paidMonthNano, now }: Facts,
): AutoTopUpView['state'] {
  if (paymentInProgress) return 'under_way'
  if (!record?.enabled) return 'off'
  if (paused) return 'paused'
  if (record.retryAt !== null && record.retryAt > now) return 'waiting'
  return paymentsLeft(record.amountNano, record.ceilingNano, paidMonthNano) === 0n ? 'ceiling' : 'on'
}

/** The saved card and the state of automatic top-up. */
export async function getAutoTopUp({
  ctx,
}: {
  ctx: Ctx<'clock' | 'cards' | 'autoTopUps' | 'stripe' | 'purses' | 'accounts' | 'wallet'>
}): Promise<AutoTopUpView> {
  const { accountId } = ctx.user
  const now = ctx.clock.now()
  const month = startOfMonth(now)
  const [card, record, paidMonthNano, paymentInProgress, failure, sums, suspended, held] = await Promise.all([
    ctx.cards.find(accountId),
    ctx.autoTopUps.find(accountId),
    ctx.autoTopUps.paidSince(accountId, month),
    ctx.autoTopUps.isInProgress(accountId),
    ctx.autoTopUps.lastFailure(accountId),
    ctx.purses.sums(accountId),
    ctx.accounts.suspended(accountId),
    ctx.wallet.held(accountId),
  ])
  const failing = record !== null && (record.failures > 0 || record.offReason !== null)
  const paused = suspended || sums.owedNano > 0n
  return {
    payable: ctx.stripe.configured,
    card: card && { brand: card.brand, last4: card.last4, expMonth: card.expMonth, expYear: card.expYear },
    enabled: record?.enabled ?? false,
    state: stateOf(record, { paymentInProgress, paused, paidMonthNano, now }),
    settings: record && {
      thresholdNano: record.thresholdNano.toString(),
      amountNano: record.amountNano.toString(),
      ceilingNano: record.ceilingNano.toString(),
    },
    offReason: record?.offReason ?? null,
    retryAt: record?.retryAt?.toISOString() ?? null,
    lastFailure:
      failing && failure
        ? { amountNano: failure.amountNano.toString(), reason: failure.reason, at: failure.at.toISOString() }
        : null,
    paidMonthNano: paidMonthNano.toString(),
    monthEnds: startOfNext(month, 'month').toISOString(),
    freeNano: (sums.balanceNano > held.nano ? sums.balanceNano - held.nano : 0n).toString(),
  }
}
