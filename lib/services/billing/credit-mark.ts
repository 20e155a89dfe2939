import { hmacKey } from '../keys/key-hash.ts'

/** The form in which an address is marked as having had its credit for signing up: it cannot be read back without the pepper. */
export const creditMark = (pepper: Uint8Array, email: string): Buffer => hmacKey(pepper, `sign-up credit ${email.toLowerCase()}`)
