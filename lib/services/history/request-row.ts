import type { RequestRow } from '#lib/contracts/requests'
import { quotaRefusalOf } from '../../domain/quota-refusals.ts'
import { piecesView } from './receipt-view.ts'
import type { RequestRecord } from './request-ports.ts'

/** A request as shown in the list. */
export function requestRow(record: RequestRecord): RequestRow {
  return {
    id: record.id,
    at: record.at.toISOString(),
    model: record.modelId,
    keyId: record.keyId,
    keyName: record.keyName,
    endpoint: record.endpoint,
    stream: record.stream,
    status: record.status,
    outcome: record.outcome,
    errorCode: record.errorCode,
    quota: quotaRefusalOf(record.errorText),
    inputUnits: Number(record.inputUnits),
    outputUnits: Number(record.outputUnits),
    pieces: record.inputUnits + record.outputUnits > 0n ? null : piecesView(record.receipt),
    tookMs: record.tookMs,
    chargedNano: record.chargedNano.toString(),
  }
}
