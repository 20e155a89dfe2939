import { CODE_RANDOM_BYTES, codeHint, formatCode, normalizeCode } from '../../domain/redemption-code.ts'
import { hmacKey } from '../keys/key-hash.ts'
import type { CodeHashes } from './billing-ports.ts'

/** Hashes redemption codes like API keys, but never to the same value. `random` returns the given number of random bytes. */
export function createCodeHashes(pepper: Uint8Array, random: (bytes: number) => Uint8Array): CodeHashes {
  const hash = (code: string): Uint8Array => hmacKey(pepper, `redemption code ${code}`)
  return {
    create() {
      const code = formatCode(random(CODE_RANDOM_BYTES))
      return { code, hmac: hash(normalizeCode(code) ?? code), hint: codeHint(code) }
    },
    hash,
  }
}
