import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const VERSION = 1
const IV_BYTES = 12
const TAG_BYTES = 16

/** Encrypts a secret with AES-256-GCM: version, nonce, tag, text. The key has 32 bytes. */
export function seal(key: Uint8Array, text: string): Buffer {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([Buffer.from([VERSION]), iv, cipher.getAuthTag(), sealed])
}

/** Decrypts what seal() encrypted. Throws if the key is another one or the bytes were changed. */
export function unseal(key: Uint8Array, sealed: Uint8Array): string {
  const bytes = Buffer.from(sealed)
  if (bytes[0] !== VERSION) throw new Error('a sealed secret has an unknown version')
  const iv = bytes.subarray(1, 1 + IV_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, iv)
  decipher.setAuthTag(bytes.subarray(1 + IV_BYTES, 1 + IV_BYTES + TAG_BYTES))
  return Buffer.concat([decipher.update(bytes.subarray(1 + IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
}

/** The keys for a gateway's secrets. The first one seals, and any of them may open. */
export interface Keyring {
  seal(text: string): Buffer
  /** Throws if no key opens it. */
  open(sealed: Uint8Array): string
}

/**
 * A keyring that reads its keys again before it seals, and if no known key opens a secret: another process may have changed
 * them.
 */
export function createKeyring(keys: readonly Uint8Array[], reloadKeys: () => readonly Uint8Array[] = () => keys): Keyring {
  let currentKeys = keys
  const tryAll = (sealed: Uint8Array): string | null => {
    for (const key of currentKeys) {
      try {
        return unseal(key, sealed)
      } catch {
        // It belongs to another key, or to none. That is known once all were tried.
      }
    }
    return null
  }
  return {
    seal(text) {
      // A secret sealed with a key that has been replaced might never be opened again.
      currentKeys = reloadKeys()
      const [first] = currentKeys
      if (!first) throw new Error('there is no key to seal with')
      return seal(first, text)
    },
    open(sealed) {
      const text = tryAll(sealed)
      if (text !== null) return text
      currentKeys = reloadKeys()
      const retried = tryAll(sealed)
      if (retried === null)
        throw new Error('a sealed secret cannot be opened: it was sealed with another key (SECRET_KEY, CREDENTIALS_KEY)')
      return retried
    },
  }
}
