import { createHash } from 'node:crypto'
import type StripeClient from 'stripe'
import { createStripeError, type StripeProblem } from '../../services/billing/stripe-problem.ts'
import { ServiceError } from '../../services/service-error.ts'

const TIMEOUT_MS = 20_000

type Call<T> = (stripe: StripeClient) => Promise<T>

/** Calls Stripe. */
export interface StripeCaller {
  /** Turns failures into an error of createStripeError(), except for missing objects, which `isMissing` recognizes. */
  ask<T>(call: Call<T>): Promise<T>
  /** Passes failures on unchanged. */
  raw<T>(call: Call<T>): Promise<T>
  /** Logs an error without Stripe's text. */
  warn(error: unknown, message: string): void
}

export interface Log {
  warn(fields: object, message: string): void
}

/** The fields of a Stripe library error that are read here. */
export interface Failure {
  type?: string
  code?: string
  param?: string
  decline_code?: string
  statusCode?: number
  payment_intent?: { id?: string }
}

/** Reads anything that was thrown as a Stripe failure. */
export const failureIn = (error: unknown): Failure => (error ?? {}) as Failure

/**
 * Whether Stripe does not have, or no longer has, the object asked for. With `params`, only if one of these parameters named it.
 */
export function isMissing(error: unknown, ...params: string[]): boolean {
  const { code, param } = failureIn(error)
  return code === 'resource_missing' && (params.length === 0 || params.includes(param ?? ''))
}

/** The result of `request`, or `value` if Stripe does not have the object, as in `isMissing`. */
export async function fallbackIfMissing<T, V>(request: Promise<T>, value: V, ...params: string[]): Promise<T | V> {
  try {
    return await request
  } catch (error) {
    if (isMissing(error, ...params)) return value
    throw error
  }
}

const UNAUTHORIZED_TYPES = new Set(['StripeAuthenticationError', 'StripePermissionError'])

/** What a failed call means. A request that is still in progress under its idempotency key (409) can be made again. */
function problemOf(error: unknown): StripeProblem {
  const { type = '', code, statusCode } = failureIn(error)
  if (code === 'amount_too_small' || code === 'amount_too_large') return code
  if (UNAUTHORIZED_TYPES.has(type)) return 'refused'
  return type === 'StripeInvalidRequestError' && statusCode !== 409 ? 'refused' : 'unreachable'
}

const LOG_MESSAGES: Record<StripeProblem, string> = {
  amount_too_small: 'Stripe accepts no amount as small as this; raise the smallest top-up',
  amount_too_large: 'Stripe accepts no amount as large as this; lower the largest top-up',
  refused: 'Stripe refused a request of this gateway; check STRIPE_SECRET_KEY and the account at Stripe',
  unreachable: 'Stripe could not be reached, or failed',
}

/** A digest of a request's content, for its idempotency key. */
export const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** What may be logged of an error: Stripe's own codes and its request id. Its text can quote what we sent. */
function errorFields(error: unknown): object {
  const { type, code, param, statusCode, requestId } = (error ?? {}) as Record<string, unknown>
  return { type, code, param, statusCode, requestId }
}

async function connect(key: string, base: string): Promise<StripeClient> {
  const { default: Client } = await import('stripe')
  const { hostname, port, protocol } = new URL(base)
  return new Client(key, {
    host: hostname,
    protocol: protocol === 'http:' ? 'http' : 'https',
    ...(port === '' ? {} : { port }),
    timeout: TIMEOUT_MS,
    maxNetworkRetries: 2,
    telemetry: false,
  })
}

/** Stripe's own library at `base`, loaded on first use. Without a key, `ask` rejects and `raw` calls without one. */
export function createStripeCaller(key: string | undefined, base: string, log: Log): StripeCaller {
  let client: Promise<StripeClient> | null = null
  const open = (): Promise<StripeClient> => {
    client ??= connect(key ?? '', base)
    return client
  }
  const warn = (error: unknown, message: string) => log.warn(errorFields(error), message)
  return {
    warn,
    raw: async (call) => call(await open()),
    async ask(call) {
      if (key === undefined) throw new ServiceError('unavailable', 'Payments are not set up.')
      try {
        return await call(await open())
      } catch (error) {
        if (isMissing(error)) throw error
        const problem = problemOf(error)
        warn(error, LOG_MESSAGES[problem])
        throw createStripeError(problem)
      }
    },
  }
}
