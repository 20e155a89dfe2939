import { createPrivateKey, createSign } from 'node:crypto'
import { type Dispatcher, request } from 'undici'
import { failureOf } from '../http-failure.ts'
import { VendorFailure } from '../vendor.ts'

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform'
const LIFETIME_S = 3600
/** A token that expires within this time is replaced, because it could expire on the way. */
const EXPIRY_MARGIN_MS = 60_000
const TIMEOUT_MS = 10_000

interface CachedToken {
  token: Promise<string>
  /** Infinity until the token has arrived. */
  endsAtMs: number
}

/** The tokens, by key file. A request for a token that failed is removed, so that the next call retries it. */
const tokenCache = new Map<string, CachedToken>()

/** Whether a secret is the key file of a service account. Otherwise it is an API key. */
export const isServiceAccount = (secret: string): boolean => secret.trimStart().startsWith('{')

/**
 * An access token of a service account, kept until shortly before it expires (Google, "Using OAuth 2.0 for server to server
 * applications"). Concurrent calls share one. Throws VendorFailure.
 */
export function googleToken(keyFile: string, agent: Dispatcher): Promise<string> {
  const known = tokenCache.get(keyFile)
  if (known && known.endsAtMs - EXPIRY_MARGIN_MS > Date.now()) return known.token
  const fetched = fetchToken(keyFile, agent)
  const fresh: CachedToken = { token: fetched.then(({ value }) => value), endsAtMs: Number.POSITIVE_INFINITY }
  tokenCache.set(keyFile, fresh)
  fetched.then(
    ({ lifetimeS }) => {
      fresh.endsAtMs = Date.now() + lifetimeS * 1000
    },
    () => tokenCache.delete(keyFile),
  )
  return fresh.token
}

async function fetchToken(keyFile: string, agent: Dispatcher): Promise<{ value: string; lifetimeS: number }> {
  const { email, key, tokenUri } = readKeyFile(keyFile)
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: email, scope: SCOPE, aud: tokenUri, iat: now, exp: now + LIFETIME_S }
  const text = [{ alg: 'RS256', typ: 'JWT' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  const assertion = `${text}.${createSign('RSA-SHA256').update(text).sign(key, 'base64url')}`
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }).toString()
  const answer = await request(tokenUri, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body,
    dispatcher: agent,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch((error: unknown) => {
    throw failureOf(error)
  })
  const tokenAnswer = (await answer.body.json().catch(() => null)) as { access_token?: unknown; expires_in?: unknown } | null
  if (answer.statusCode !== 200 || typeof tokenAnswer?.access_token !== 'string')
    throw new VendorFailure('misconfigured', `Google gives no token for the service account: status ${answer.statusCode}`)
  return {
    value: tokenAnswer.access_token,
    lifetimeS: typeof tokenAnswer.expires_in === 'number' ? tokenAnswer.expires_in : LIFETIME_S,
  }
}

function readKeyFile(text: string) {
  try {
    const { client_email: email, private_key: pem, token_uri: tokenUri } = JSON.parse(text) as Record<string, unknown>
    if (typeof email !== 'string' || typeof pem !== 'string' || typeof tokenUri !== 'string') throw new Error('fields')
    return { email, key: createPrivateKey(pem), tokenUri }
  } catch {
    throw new VendorFailure('misconfigured', 'the service account key is not a whole JSON key file')
  }
}
