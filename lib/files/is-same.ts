import { createHash, timingSafeEqual } from 'node:crypto'

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Whether a text is the secret one, in a time that tells neither how far it is right nor how long it should be. Texts are
 * compared and not what they decode to: the last character of base64 has bits to spare.
 */
export const isSame = (given: string, secret: string): boolean => timingSafeEqual(digestOf(given), digestOf(secret))
