import { createHmac } from 'node:crypto'

/**
 * The form in which a key's secret is stored and looked up: HMAC-SHA256 under a pepper that is not in the
 * database, 32 bytes. A key is random enough that a slow hash would add nothing but time to each request.
 */
export function hmacKey(pepper: Uint8Array, secret: string): Buffer {
  return createHmac('sha256', pepper).update(secret).digest()
}
