import { asRefusal, CONDITION_TABLE, Refusal } from '../domain/errors.ts'
import { formatDecimal } from '../domain/money.ts'
import type { SettlementResult } from '../domain/settlement.ts'
import { NO_USAGE } from '../domain/usage.ts'
import type { WireError } from '../wire/answer.ts'
import { limitsOf, type Replayed } from './admit.ts'
import type { Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import type { LimitState, Quota } from './limits/ports.ts'
import type { GatewayPorts } from './ports.ts'
import { withTimeout } from './with-timeout.ts'

type Headers = Record<string, string>

/** OpenAI writes the time until a window resets as a duration: `59.2s`, `6ms`. */
function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.max(0, Math.ceil(ms))}ms` : `${Math.round(ms) / 1000}s`
}

const remainingOf = (quota: Quota): string => String(Math.max(0, quota.remaining))

function limitHeaders({ requests, tokens }: LimitState): Headers {
  return {
    'x-ratelimit-limit-requests': String(requests.limit),
    'x-ratelimit-remaining-requests': remainingOf(requests),
    'x-ratelimit-reset-requests': formatDuration(requests.resetMs),
    'x-ratelimit-limit-tokens': String(tokens.limit),
    'x-ratelimit-remaining-tokens': remainingOf(tokens),
    'x-ratelimit-reset-tokens': formatDuration(tokens.resetMs),
  }
}

/** The headers of every answer. `no-transform` keeps proxies from compressing streams. */
export function commonHeaders(exchange: Exchange): Headers {
  return {
    'x-request-id': exchange.received.id,
    'cache-control': 'no-store, no-transform',
    'x-content-type-options': 'nosniff',
    ...(exchange.minute.state && limitHeaders(exchange.minute.state)),
  }
}

/** What a non-streaming answer cost, and what is left, in currency units. */
export function moneyHeaders(settled: SettlementResult): Headers {
  return { 'x-tollgate-cost': formatDecimal(settled.charged), 'x-tollgate-balance': formatDecimal(settled.balance) }
}

/** Answers JSON. */
export function respondJson(exchange: Exchange, body: string | Uint8Array, headers: Headers = {}, status = 200): Answer {
  return { status, headers: { ...commonHeaders(exchange), 'content-type': 'application/json', ...headers }, body }
}

/** The headers that mark an answer as an earlier one. */
export const replayHeaders = ({ requestId }: Replayed): Headers => ({
  'x-tollgate-replayed': requestId,
  'x-tollgate-cost': '0',
})

/** The answer of an earlier request with the same Idempotency-Key. Nothing is charged for it. */
export function respondReplay(exchange: Exchange, replay: Replayed): Answer {
  return {
    status: replay.status,
    headers: { ...commonHeaders(exchange), ...replay.headers, ...replayHeaders(replay) },
    body: replay.body,
  }
}

/** The body of every refusal, for non-streaming answers and inside streams. Specification section 7; OpenAI's shape. */
export const errorBody = (refusal: Refusal): string => JSON.stringify({ error: errorOf(refusal) })

/** The error object of a refusal. */
export const errorOf = ({ condition, code, message, param }: Refusal): WireError => ({
  message,
  type: CONDITION_TABLE[condition].type,
  param,
  code,
})

/** Turns every error into a refusal. One that is not expected is our own mistake, and is logged as such. */
export function toRefusal(error: unknown, exchange: Exchange, ports: GatewayPorts): Refusal {
  const refusal = asRefusal(error)
  if (refusal) return refusal
  if (ports.isTransient(error))
    return new Refusal('unavailable', 'The gateway cannot reach its database right now. Try again in a moment.', {
      retryAfter: 2,
      detail: String(error),
    })
  ports.log.error(
    { request: exchange.received.id, error: error instanceof Error ? error.stack : String(error) },
    'an unexpected error',
  )
  return new Refusal(
    'internal',
    'The gateway failed. Nothing was charged. Try again. If it keeps failing, give the operator the request id.',
  )
}

/**
 * A repeat may arrive as soon as this answer is read: its Idempotency-Key has to be free by then, unless the database is
 * away.
 */
export async function waitForEnding(ending: Promise<unknown>, ports: GatewayPorts): Promise<void> {
  await withTimeout(ending, ports.settings.settleTimeoutMs, () => undefined)
}

/**
 * A request that is refused because of its own fault counts against its key's minute like any other. If that minute is full,
 * this is what the client is told. Requests that were refused for other reasons before they were counted are not their
 * sender's fault, or had a limit of their own.
 */
async function countRefusal(refusal: Refusal, exchange: Exchange, ports: GatewayPorts): Promise<Refusal> {
  const { from, minute } = exchange
  if (!from || minute.state !== null || refusal.status >= 429) return refusal
  try {
    await minute.take(from.caller.keyId, limitsOf(from, ports), 0)
    return refusal
  } catch (full) {
    return asRefusal(full) ?? refusal
  }
}

/** The last stage of a refused request: it is recorded with a charge of zero, and answered. */
export async function refuse(error: unknown, exchange: Exchange, ports: GatewayPorts): Promise<Answer> {
  const refusal = await countRefusal(toRefusal(error, exchange, ports), exchange, ports)
  const { condition, detail, status } = refusal
  // Overload is logged once per episode; maintenance is in the operators' log.
  if (status >= 500 && condition !== 'overloaded' && condition !== 'maintenance')
    ports.log.warn({ request: exchange.received.id, condition, detail }, 'a request failed')
  const vendorFailed = exchange.time.vendorCalled && !exchange.stopped
  const ending = exchange
    .end({
      outcome: vendorFailed ? 'vendor_failed' : 'refused',
      status,
      usage: NO_USAGE,
      certainty: { exact: true },
      errorCode: refusal.code,
      errorText: refusal.message,
    })
    .catch((failure: unknown) =>
      ports.log.warn({ request: exchange.received.id, error: String(failure) }, 'a refusal could not be recorded'),
    )
  if (exchange.idempotent) await waitForEnding(ending, ports)
  return respondJson(
    exchange,
    errorBody(refusal),
    { ...(refusal.retryAfter === null ? {} : { 'retry-after': String(refusal.retryAfter) }), ...refusal.headers },
    status,
  )
}
