import type { RequestDetail } from '#lib/contracts/requests'
import type { Ctx, RequestRecordWhole } from './ports.ts'
import { attemptsView, receiptView } from './receipt-view.ts'
import { isRequestId } from './request-id.ts'
import { requestRow } from './request-row.ts'
import { ServiceError } from './service-error.ts'

type History = RequestDetail['history']

/** The stored body is JSON by construction, so its two parts can be handed on as they are. */
function historyView(stored: unknown): History {
  if (typeof stored !== 'object' || stored === null || !('request' in stored)) return null
  const { request, answer } = stored as { request: unknown; answer?: unknown }
  return { request: request ?? null, answer: answer ?? null } as NonNullable<History>
}

function detail(record: RequestRecordWhole, history: unknown): RequestDetail {
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
    history: historyView(history),
  }
}

/**
 * One request with its receipt, its tries and, where it was kept, what was said.
 * Errors: `not_found`, for another account's request as well.
 */
export async function getRequest({ ctx, input }: { ctx: Ctx<'requests'>; input: { id: string } }): Promise<RequestDetail> {
  const { accountId } = ctx.user
  const record = isRequestId(input.id) ? await ctx.requests.find(accountId, input.id) : null
  if (!record) throw new ServiceError('not_found', 'There is no such request.')
  return detail(record, await ctx.requests.history(accountId, record.id))
}
