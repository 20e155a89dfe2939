import type { WireAnswer } from '../vendor.ts'

/** A failure that is told by its status: what a vendor's own refusal looks like. */
interface Refusal {
  status: number
  /** Seconds, as `retry-after`; null sends none. */
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

/** What a vendor says to a model that it does not have. */
export const unknownModel = (upstreamModel: string): WireAnswer =>
  refuse({
    status: 404,
    retryAfter: null,
    message: `The model '${upstreamModel.slice(0, 200)}' does not exist in the Tollgate sandbox.`,
    type: 'invalid_request_error',
    code: 'model_not_found',
  })

/** What a vendor says of a field that it does not take. */
export const refuseField = (param: string, message: string): WireAnswer =>
  refuse({ status: 400, retryAfter: null, message, type: 'invalid_request_error', code: null, param })

/** A page where JSON is expected, with a status that says all is well: what a proxy in between can do. */
export const MALFORMED_PAGE = Buffer.from(
  '<!doctype html><html><head><title>Tollgate sandbox</title></head><body><h1>200 OK</h1><p>This is not JSON; the failure is simulated.</p></body></html>\n',
)

/** An event of a stream whose data ends in the middle of its JSON. */
export const MALFORMED_EVENT = Buffer.from(
  'data: {"id":"chatcmpl-sandbox","object":"chat.completion.chunk","choices":[{"index":0,"del\n\n',
)
