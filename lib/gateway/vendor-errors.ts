import { Refusal } from '../domain/errors.ts'
import { readFirstBytes } from '../domain/read-first-bytes.ts'
import { parseRetryAfter } from '../domain/retry-after.ts'
import { parseSecrets } from '../domain/vendor-kinds.ts'
import { asVendorFailure, type WireAnswer } from '../vendors/vendor.ts'
import type { StreamBrokenError } from '../wire/answer.ts'
import type { Route } from './choose-deployment.ts'
import { parseVendorError } from './parse-vendor-error.ts'

const MAX_ERROR_BYTES = 64 * 1024
/** Errors of the request itself: the statuses that the client can fix. */
const REQUEST_ERROR_STATUS = new Set([400, 413, 415, 422])
/** Errors of an endpoint that the server does not have. */
const UNSUPPORTED_STATUS = new Set([404, 405, 501])
const RETRY_HINT = 'Try again in a moment.'

/** The refusal for a vendor's answer that broke off. */
export const refuseCutAnswer = (detail: string): Refusal =>
  new Refusal('vendor_failed', `The model's vendor ended the answer early. ${RETRY_HINT}`, { detail })

/** The first bytes of an error answer, as text. */
export async function readErrorText(answer: WireAnswer): Promise<string> {
  return (await readFirstBytes(answer.body, MAX_ERROR_BYTES)).toString('utf8')
}

/** The team and key that xAI names when it refuses a prompt. */
const KEY_OWNER = /\b(team|api key id):\s*[^\s,]+/gi

/** Removes our credentials, addresses and names from a vendor's message before the client sees it. */
export function scrub(text: string, route: Pick<Route, 'deployment'>, modelId: string): string {
  const { connection, upstreamModel } = route.deployment
  const secrets = [connection.secret ?? '', ...Object.values(parseSecrets(connection.secret))]
  const hidden = [...secrets, ...Object.values(connection.headers), ...urlFormsOf(connection.baseUrl)]
  let clean = text
  for (const item of hidden) if (item.length > 3) clean = clean.replaceAll(item, '[hidden]')
  if (upstreamModel !== modelId) clean = clean.replaceAll(upstreamModel, modelId)
  return clean
    .replace(/\b(sk|pk|key|org|proj|api)[-_][A-Za-z0-9_*-]{6,}/g, '[hidden]')
    .replace(/bearer\s+\S+/gi, '[hidden]')
    .replace(KEY_OWNER, '$1: [hidden]')
    .replace(/\p{Cc}+/gu, ' ')
    .slice(0, 500)
}

/** The ways in which an address may be written, longer forms first. */
function urlFormsOf(baseUrl: string | null): string[] {
  if (baseUrl === null || !URL.canParse(baseUrl)) return []
  const { origin, host, hostname } = new URL(baseUrl)
  return [baseUrl, baseUrl.replace(/\/+$/, ''), origin, host, hostname]
}

/** The Retry-After that clients are told, in whole seconds, an hour at most. */
const retryAfterOf = ({ headers }: Pick<WireAnswer, 'headers'>, nowMs: number): number =>
  Math.min(Math.max(1, Math.ceil(parseRetryAfter(headers, nowMs) ?? 5)), 3600)

/**
 * Turns a vendor's error answer into ours. What the caller can fix stays a 400 with the vendor's words. What only the
 * operator can fix (credentials, an unknown upstream model) is a 503 without them.
 */
export async function refuseStatus(answer: WireAnswer, route: Route, modelId: string, nowMs: number): Promise<Refusal> {
  return refuseReported({ ...answer, text: await readErrorText(answer) }, route, modelId, nowMs)
}

type ReportedError = Pick<WireAnswer, 'status' | 'headers'> & { text: string }

/** The same for an error whose text has been read, wherever the vendor put it. */
export function refuseReported(answer: ReportedError, route: Route, modelId: string, nowMs: number): Refusal {
  const reported = parseVendorError(answer.text)
  const detail = `vendor status ${answer.status}`
  if (answer.status === 429)
    return new Refusal('too_many_requests', `The model's vendor is at its limit. ${RETRY_HINT}`, {
      retryAfter: retryAfterOf(answer, nowMs),
      detail,
    })
  if (isRequestError(answer.status)) {
    const message =
      reported.message === null
        ? "The model's vendor does not accept this request."
        : `The model's vendor says: ${scrub(reported.message, route, modelId)}`
    return new Refusal(reported.tooLong ? 'context_exceeded' : 'invalid_request', message, {
      ...(reported.param === null ? {} : { param: scrub(reported.param, route, modelId) }),
      ...(reported.code === null || reported.tooLong ? {} : { code: reported.code }),
      detail,
    })
  }
  if (answer.status >= 500 && answer.status !== 503)
    return new Refusal('vendor_failed', `The model's vendor failed. ${RETRY_HINT}`, { detail })
  return new Refusal('unavailable', `The model's vendor cannot answer right now. ${RETRY_HINT}`, {
    detail,
    ...(answer.status === 503 ? { retryAfter: retryAfterOf(answer, nowMs) } : {}),
  })
}

/**
 * Turns a call that produced no readable answer into a refusal of ours; null if the error is neither a VendorFailure nor a
 * StreamBrokenError.
 */
export function refuseFailure(error: unknown): Refusal | null {
  const failure = asVendorFailure(error)
  if (failure) {
    const detail = `${failure.kind}: ${failure.detail}`
    if (failure.kind === 'over_cap')
      return new Refusal('internal', 'The gateway refused to send this request. Tell its operator.', { detail })
    if (failure.kind === 'unreadable')
      return new Refusal('vendor_failed', `The model sent an answer that could not be read. ${RETRY_HINT}`, { detail })
    if (failure.kind === 'cut')
      return new Refusal('vendor_failed', `The model's vendor ended the answer early. ${RETRY_HINT}`, { detail })
    return new Refusal(
      'unavailable',
      `The model's vendor ${failure.kind === 'timed_out' ? 'took too long' : 'cannot be reached'}. ${RETRY_HINT}`,
      { detail, retryAfter: 5 },
    )
  }
  const broken = asStreamBrokenError(error)
  return broken ? new Refusal('vendor_failed', `${broken.message} ${RETRY_HINT}`, { detail: broken.detail }) : null
}

/** Whether a status is about the request itself, so that every deployment would say the same. */
export const isRequestError = (status: number): boolean => REQUEST_ERROR_STATUS.has(status)

/** Whether a status says that the server has no such endpoint, or not this method of it. */
export const isUnsupportedEndpoint = (status: number): boolean => UNSUPPORTED_STATUS.has(status)

/** Whether another deployment may answer after one gave this refusal. */
export const allowsFailover = ({ condition }: Refusal): boolean =>
  condition !== 'invalid_request' && condition !== 'context_exceeded'

/**
 * Picks which of two refusals, the earlier one first, the client is shown when every deployment failed: the one with the
 * shorter Retry-After, because a repeat can succeed then. If both are equal it is the later one, but an internal error only
 * if there is nothing else.
 */
export function pickMoreUseful(earlier: Refusal | null, later: Refusal): Refusal {
  if (earlier === null) return later
  if (earlier.retryAfter !== later.retryAfter)
    return (earlier.retryAfter ?? Number.POSITIVE_INFINITY) < (later.retryAfter ?? Number.POSITIVE_INFINITY) ? earlier : later
  return later.condition === 'internal' ? earlier : later
}

/** Recognizes a StreamBrokenError by its mark. */
export function asStreamBrokenError(error: unknown): StreamBrokenError | null {
  return (error as { mark?: unknown } | null | undefined)?.mark === 'stream_broken' ? (error as StreamBrokenError) : null
}
