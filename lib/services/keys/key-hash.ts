import { createHmac } from 'node:crypto'

/**
 * Hashes a key's secret for storage and lookup: HMAC-SHA256 with a pepper that is not in the database, 32 bytes. A key is random
 * enough that a slow hash would only add time to each request.
 */
export function hmacKey(pepper: Uint8Array, secret: string): Buffer {
  return createHmac('sha256', pepper).update(secret).digest()
}
