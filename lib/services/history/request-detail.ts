import type { RequestDetail } from '#lib/contracts/requests'
import { attemptsView, receiptView } from './receipt-view.ts'
import type { RequestDetailRecord } from './request-ports.ts'
import { requestRow } from './request-row.ts'

type History = RequestDetail['history']

/** The stored body is JSON by construction, so its two parts can be passed on unchanged. */
function historyView(stored: unknown): History {
  if (typeof stored !== 'object' || stored === null || !('request' in stored)) return null
  const { request, answer } = stored as { request: unknown; answer?: unknown }
  return { request: request ?? null, answer: answer ?? null } as NonNullable<History>
}

/** A request as its account sees it: what it cost the account, not what it cost the gateway's operator. */
export function requestDetail(record: RequestDetailRecord, history: { content: unknown } | 'deleted' | null): RequestDetail {
  return {
    ...requestRow(record),
    errorText: record.errorText,
    finishReason: record.finishReason,
    cachedUnits: Number(record.cachedUnits),
    reasoningUnits: Number(record.reasoningUnits),
    holdNano: record.holdNano.toString(),
    shortfallNano: record.shortfallNano.toString(),
    ownMs: record.ownMs,
    firstTokenMs: record.firstTokenMs,
    receipt: receiptView(record),
    attempts: attemptsView(record.trace),
    historyDeleted: history === 'deleted',
    history: typeof history === 'object' ? historyView(history?.content) : null,
  }
}
