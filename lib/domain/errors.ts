/**
 * Every way in which the API refuses a request, and how it answers. lib/wire/README.md has the same table with the reasons, and
 * tests/integration/api-errors.test.ts has a test for each row.
 */
const CONDITIONS = {
  invalid_request: { status: 400, type: 'invalid_request_error', code: 'invalid_request_error' },
  context_exceeded: { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' },
  idempotency_mismatch: { status: 400, type: 'invalid_request_error', code: 'idempotency_key_reused' },
  unknown_previous: { status: 400, type: 'invalid_request_error', code: 'previous_response_not_found' },
  invalid_key: { status: 401, type: 'invalid_request_error', code: 'invalid_api_key' },
  wrong_signature: { status: 403, type: 'invalid_request_error', code: 'invalid_signature' },
  expired_file: { status: 403, type: 'invalid_request_error', code: 'file_expired' },
  unknown_path: { status: 404, type: 'invalid_request_error', code: 'unknown_url' },
  unknown_model: { status: 404, type: 'invalid_request_error', code: 'model_not_found' },
  unknown_task: { status: 404, type: 'invalid_request_error', code: 'task_not_found' },
  unknown_response: { status: 404, type: 'invalid_request_error', code: 'response_not_found' },
  unknown_file: { status: 404, type: 'invalid_request_error', code: 'file_not_found' },
  wrong_method: { status: 405, type: 'invalid_request_error', code: 'method_not_allowed' },
  upload_too_slow: { status: 408, type: 'invalid_request_error', code: 'upload_too_slow' },
  idempotency_running: { status: 409, type: 'invalid_request_error', code: 'idempotency_in_progress' },
  idempotency_spent: { status: 409, type: 'invalid_request_error', code: 'idempotency_answer_not_kept' },
  task_completed: { status: 409, type: 'invalid_request_error', code: 'task_completed' },
  too_large: { status: 413, type: 'invalid_request_error', code: 'request_too_large' },
  wrong_content: { status: 415, type: 'invalid_request_error', code: 'unsupported_media_type' },
  wrong_range: { status: 416, type: 'invalid_request_error', code: 'range_not_satisfiable' },
  no_quota: { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  too_many_requests: { status: 429, type: 'requests', code: 'rate_limit_exceeded' },
  too_many_tokens: { status: 429, type: 'tokens', code: 'rate_limit_exceeded' },
  internal: { status: 500, type: 'server_error', code: 'server_error' },
  vendor_failed: { status: 500, type: 'server_error', code: 'server_error' },
  maintenance: { status: 503, type: 'server_error', code: 'service_unavailable' },
  overloaded: { status: 503, type: 'server_error', code: 'service_unavailable' },
  unavailable: { status: 503, type: 'server_error', code: 'service_unavailable' },
} as const

/**
 * Codes of OpenAI's for a request that a vendor rejects, passed on in place of `invalid_request_error`. Clients and frameworks look
 * for them: to tell a prompt that was flagged from one that is malformed, or to leave a field out and try again. What else a
 * vendor calls an error is its own affair.
 */
export const VENDOR_CODES = [
  'content_policy_violation',
  'content_filter',
  'moderation_blocked',
  'invalid_prompt',
  'unsupported_parameter',
  'unsupported_value',
  'invalid_image_url',
] as const

export type Condition = keyof typeof CONDITIONS
export const CONDITION_TABLE: Record<Condition, { status: number; type: string; code: string }> = CONDITIONS

export interface RefusalOptions {
  /** The field at fault, as a path: `messages[0].role`. */
  param?: string
  /** Seconds after which a retry can succeed. Sent as Retry-After. */
  retryAfter?: number
  headers?: Record<string, string>
  /** What a vendor calls it, in OpenAI's own terms, instead of the condition's code. */
  code?: string
  /** For the log only. Never a prompt, a key or a vendor's headers. */
  detail?: string
}

/** A request that is refused, with what its sender should do next. Identified by `kind`. */
export class Refusal extends Error {
  readonly kind = 'refusal'
  readonly condition: Condition
  readonly code: string
  readonly param: string | null
  readonly retryAfter: number | null
  readonly headers: Record<string, string>
  readonly detail: string | null

  constructor(condition: Condition, message: string, options: RefusalOptions = {}) {
    super(message)
    this.condition = condition
    this.code = options.code ?? CONDITIONS[condition].code
    this.param = options.param ?? null
    this.retryAfter = options.retryAfter ?? null
    this.headers = options.headers ?? {}
    this.detail = options.detail ?? null
  }

  get status(): number {
    return CONDITIONS[this.condition].status
  }

  /** The same refusal, with the name that the request's field has for its sender. */
  about(param: string, message = this.message): Refusal {
    const { condition, code, retryAfter, headers, detail } = this
    return new Refusal(condition, message, {
      param,
      code,
      headers,
      ...(retryAfter === null ? {} : { retryAfter }),
      ...(detail === null ? {} : { detail }),
    })
  }
}

/** A request that is refused for one of its fields: `param` is its path, `messages[0].role`. */
export const refuseField = (param: string, message: string): Refusal => new Refusal('invalid_request', message, { param })

/** Recognizes a Refusal by its `kind`, because one process can hold two copies of this module. */
export function asRefusal(error: unknown): Refusal | null {
  return typeof error === 'object' && error !== null && (error as { kind?: unknown }).kind === 'refusal'
    ? (error as Refusal)
    : null
}
