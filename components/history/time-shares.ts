import type { RequestDetail } from '#lib/contracts/requests'

export type TimeShareName = 'own' | 'vendorTime' | 'untilFirst' | 'answer'

/** A share of the time of a request, in milliseconds. */
export interface TimeShare {
  name: TimeShareName
  ms: number
}

/**
 * How the time of a request was spent: by the gateway, by waiting for the first token, and by the rest of the answer. The shares add
 * up to the total. The gateway's is counted before the wait, although a part of it comes at the end.
 */
export function timeSharesOf({
  tookMs,
  ownMs,
  firstTokenMs,
}: Pick<RequestDetail, 'tookMs' | 'ownMs' | 'firstTokenMs'>): TimeShare[] {
  const own = Math.min(ownMs, tookMs)
  const vendor = tookMs - own
  if (firstTokenMs === null)
    return [
      { name: 'own', ms: own },
      { name: 'vendorTime', ms: vendor },
    ]
  const wait = Math.min(Math.max(firstTokenMs - own, 0), vendor)
  return [
    { name: 'own', ms: own },
    { name: 'untilFirst', ms: wait },
    { name: 'answer', ms: vendor - wait },
  ]
}
