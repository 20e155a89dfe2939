import type { Attributes } from '@opentelemetry/api'
import type { Attempt, Settlement } from '../domain/settlement.ts'
import { faultOf as whoseFault } from '../domain/traffic.ts'
import { tokensIn, tokensOut } from '../domain/usage.ts'
import type { EndedRequest } from '../gateway/ports.ts'

/** Operations that OpenTelemetry's conventions for generative AI name. Others keep the name of their endpoint. */
const OPERATIONS: Record<string, string> = { 'chat.completions': 'chat', responses: 'chat', completions: 'text_completion' }
const operationOf = ({ endpoint }: Settlement): string => OPERATIONS[endpoint] ?? endpoint

/** The name of a span: the operation and the model. */
export const spanName = (item: Settlement, model: string): string => [operationOf(item), model].filter(Boolean).join(' ')

/**
 * Why a request counts as failed, as a code of our own, because an error text may quote the vendor. Null if it does not: a
 * client's mistake is not a failure.
 */
export function faultOf({ item, settled }: EndedRequest): string | null {
  if (settled === null) return 'undelivered'
  const whose = whoseFault(item.outcome, item.status, item.trace.at(-1)?.result ?? null)
  return whose === null || whose === 'client' ? null : (item.errorCode ?? item.outcome)
}

/**
 * Why a call to a vendor counts as failed, or null if it does not. The detail is used only if there was no status, because it may
 * quote an answer that could not be read.
 */
export function callFaultOf({ result, status, detail }: Attempt): string | null {
  if (result === 'answered' || result === 'left') return null
  return status === null ? (detail ?? result) : result
}

const errorOf = (ended: EndedRequest): string | null =>
  ended.settled === null ? 'undelivered' : (ended.item.errorCode ?? faultOf(ended))

/** The attributes of a request's span: our own counts, names and times, and nothing of the conversation. */
export function attributesOf(ended: EndedRequest): Attributes {
  const { item, settled } = ended
  const error = errorOf(ended)
  return {
    'gen_ai.operation.name': operationOf(item),
    'gen_ai.provider.name': 'tollgate',
    'gen_ai.request.model': item.modelId,
    'gen_ai.usage.input_tokens': Number(tokensIn(item.usage)),
    'gen_ai.usage.output_tokens': Number(tokensOut(item.usage)),
    ...(item.finishReason === null ? {} : { 'gen_ai.response.finish_reasons': [item.finishReason] }),
    'http.request.method': 'POST',
    'http.response.status_code': settled === null ? 503 : item.status,
    ...(error === null ? {} : { 'error.type': error }),
    'tollgate.request.id': item.id,
    'tollgate.account.id': item.accountId,
    'tollgate.key.id': item.keyId,
    'tollgate.group.id': item.groupId,
    'tollgate.endpoint': item.endpoint,
    'tollgate.stream': item.stream,
    'tollgate.outcome': settled === null ? 'undelivered' : item.outcome,
    'tollgate.charged_nano': Number(settled?.charged ?? 0n),
    'tollgate.vendor_cost_nano': Number(item.receipt?.vendorCost ?? 0n),
    'tollgate.own_ms': item.ownMs,
  }
}

/** The attributes of the span of a call to a vendor. */
export const attemptAttributes = (item: Settlement, attempt: Attempt): Attributes => ({
  'gen_ai.operation.name': operationOf(item),
  'gen_ai.provider.name': attempt.connection,
  'gen_ai.request.model': attempt.model,
  ...(attempt.status === null ? {} : { 'http.response.status_code': attempt.status }),
  ...(attempt.result === 'answered' ? {} : { 'error.type': attempt.result }),
  'tollgate.deployment.id': attempt.deployment,
})
