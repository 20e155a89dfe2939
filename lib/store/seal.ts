import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16

/** Closes a secret with AES-256-GCM: version, nonce, tag, text. The key has 32 bytes. */
export function seal(key: Uint8Array, text: string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from([VERSION]), iv, cipher.getAuthTag(), sealed])
}

/** Opens what seal() closed. Throws where the key is another one or the bytes were changed. */
export function unseal(key: Uint8Array, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed)
  if (bytes[0] !== VERSION) throw new Error('a sealed secret has an unknown version')
  const iv = bytes.subarray(1, 1 + IV_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, iv)
  decipher.setAuthTag(bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}
