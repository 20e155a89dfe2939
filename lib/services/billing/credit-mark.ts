import { hmacKey } from '../keys/key-hash.ts'

/** The mark of an address that has had its sign-up credit. The address cannot be recovered from it without the pepper. */
export const creditMark = (pepper: Uint8Array, email: string): Buffer => hmacKey(pepper, `sign-up credit ${email.toLowerCase()}`)
