import type { WireAnswer } from '../vendor.ts'

/** A failure with an error status, like a vendor's own refusal. */
interface Refusal {
  status: number
  /** The `retry-after` header, in seconds; null sends none. */
  retryAfter: number | null
  message: string
  type: string
  code: string | null
  /** The field at fault. */
  param?: string
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  'sandbox/error-429': {
    status: 429,
    retryAfter: 2,
    message:
      'Rate limit reached for sandbox/error-429. Please try again in 2s. This failure is simulated by the Tollgate sandbox.',
    type: 'requests',
    code: 'rate_limit_exceeded',
  },
  'sandbox/error-500': {
    status: 500,
    retryAfter: null,
    message: 'The server had an error while processing your request. This failure is simulated by the Tollgate sandbox.',
    type: 'server_error',
    code: null,
  },
  'sandbox/image-error': {
    status: 500,
    retryAfter: null,
    message: 'The image could not be generated. This failure is simulated by the Tollgate sandbox.',
    type: 'server_error',
    code: 'server_error',
  },
  'sandbox/error-503': {
    status: 503,
    retryAfter: 5,
    message: 'The engine is currently overloaded, please try again later. This failure is simulated by the Tollgate sandbox.',
    type: 'server_error',
    code: 'service_unavailable',
  },
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function refuse({ status, retryAfter, message, type, code, param }: Refusal): WireAnswer {
  return {
    k: 'wire',
    status,
    headers: { 'content-type': 'application/json', ...(retryAfter === null ? {} : { 'retry-after': String(retryAfter) }) },
    body: once(Buffer.from(JSON.stringify({ error: { message, type, param: param ?? null, code } }))),
  }
}

/** The refusal that a failing model answers with; null for every other model. */
export function refusalOf(upstreamModel: string): WireAnswer | null {
  const refusal = Object.hasOwn(REFUSALS, upstreamModel) ? REFUSALS[upstreamModel] : undefined
  return refusal ? refuse(refusal) : null
}

/** A vendor's answer for a model that it does not have. */
export const unknownModel = (upstreamModel: string): WireAnswer =>
  refuse({
    status: 404,
    retryAfter: null,
    message: `The model '${upstreamModel.slice(0, 200)}' does not exist in the Tollgate sandbox.`,
    type: 'invalid_request_error',
    code: 'model_not_found',
  })

/** A vendor's answer for a field that it does not accept. */
export const refuseField = (param: string, message: string): WireAnswer =>
  refuse({ status: 400, retryAfter: null, message, type: 'invalid_request_error', code: null, param })

/** An HTML page in place of JSON, with a success status, as a proxy in between can send it. */
export const MALFORMED_PAGE = Buffer.from(
  '<!doctype html><html><head><title>Tollgate sandbox</title></head><body><h1>200 OK</h1><p>This is not JSON; the failure is simulated.</p></body></html>\n',
)

/** A stream event whose data ends in the middle of its JSON. */
export const MALFORMED_EVENT = Buffer.from(
  'data: {"id":"chatcmpl-sandbox","object":"chat.completion.chunk","choices":[{"index":0,"del\n\n',
)
