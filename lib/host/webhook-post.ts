import { lookup as systemLookup } from 'node:dns'
import { Agent, type Dispatcher } from 'undici'
import { Refusal } from '../domain/errors.ts'
import { readFirstBytes } from '../domain/read-first-bytes.ts'
import { formatStoredText, type StoredText } from '../domain/stored-text.ts'
import type { WebhookPost } from '../services/webhooks/webhook-ports.ts'
import { createPublicConnector, type SafeFetchOptions } from './safe-fetch.ts'

const TIMEOUT_MS = 10_000
const MAX_ANSWER_BYTES = 1024

/** What an endpoint's owner reads about a failed connection. */
const ERROR_TEXTS: Record<string, StoredText> = {
  ENOTFOUND: 'The host name does not exist.',
  EAI_AGAIN: 'The host name could not be looked up.',
  ECONNREFUSED: 'The host refused the connection.',
  ECONNRESET: 'The connection was cut.',
  UND_ERR_SOCKET: 'The connection was cut.',
  UND_ERR_CONNECT_TIMEOUT: 'The host could not be reached in time.',
  UND_ERR_HEADERS_TIMEOUT: 'No answer within 10 seconds.',
  UND_ERR_BODY_TIMEOUT: 'No answer within 10 seconds.',
  CERT_HAS_EXPIRED: 'The certificate of the host has expired.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate of the host is not signed by a known authority.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host.',
}

/** The reason in our own words, because an error's message can contain addresses of this network. */
function reasonOf(error: unknown): StoredText {
  if (error instanceof Refusal) return 'The host is not on the public internet.'
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  if (name === 'TimeoutError') return 'No answer within 10 seconds.'
  if (typeof code !== 'string') return 'The host could not be reached.'
  return ERROR_TEXTS[code] ?? formatStoredText('notReachedFor', { code })
}

async function readAnswer(body: Dispatcher.ResponseData['body']): Promise<string> {
  const bytes = await readFirstBytes(body, MAX_ANSWER_BYTES)
  // An answer that is longer ends with an error of its own.
  body.on('error', () => undefined)
  body.destroy()
  // PostgreSQL cannot store NUL in text.
  return bytes.subarray(0, MAX_ANSWER_BYTES).toString('utf8').replaceAll('\0', '')
}

export interface WebhookPostOptions extends Pick<SafeFetchOptions, 'lookup'> {
  /** Replaces connections to the public internet in tests. */
  dispatcher?: Dispatcher
  timeoutMs?: number
}

/** Sends one POST, only to the public internet, with a limit of ten seconds. Redirects are not followed. */
export function createWebhookPost(options: WebhookPostOptions = {}): WebhookPost & { close(): Promise<void> } {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS
  const connect = createPublicConnector(timeoutMs, options.lookup ?? systemLookup)
  const dispatcher = options.dispatcher ?? new Agent({ connect, allowH2: false, pipelining: 0 })
  return {
    async post(address, headers, body) {
      const url = new URL(address)
      try {
        const answer = await dispatcher.request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: 'POST',
          headers,
          body,
          signal: AbortSignal.timeout(timeoutMs),
        })
        return { status: answer.statusCode, text: await readAnswer(answer.body) }
      } catch (error) {
        throw new Error(reasonOf(error))
      }
    },
    close: () => dispatcher.destroy(),
  }
}
