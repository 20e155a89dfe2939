import { hmacKey } from './key-hash.ts'

/** The form in which a redemption code is stored: as API keys are, and never the same as one. */
export const codeHash = (pepper: Uint8Array, code: string): Buffer => hmacKey(pepper, `redemption code ${code}`)
