import { createHmac } from 'node:crypto'

/** The prefix of a secret. */
export const SECRET_PREFIX = 'whsec_'

/** Signs with one secret: `v1,` and the HMAC-SHA256 of id, timestamp and body, in base64. */
function sign(secret: string, signed: string): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`
}

/**
 * The headers of a delivery by the Standard Webhooks specification (https://www.standardwebhooks.com), version 1: one signature
 * per valid secret, so that a secret can be changed without a gap.
 */
export function webhookHeaders(eventId: string, at: Date, body: string, secrets: readonly string[]): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const signed = `${eventId}.${timestamp}.${body}`
  return {
    'content-type': 'application/json',
    'user-agent': 'Tollgate-Webhooks/1',
    'webhook-id': eventId,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => sign(secret, signed)).join(' '),
  }
}
