import { createHash, timingSafeEqual } from 'node:crypto'

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()

/**
 * Whether a text equals a secret one, in a time that reveals neither how much of it is right nor how long it should be. It
 * compares the texts and not what they decode to, because the last character of base64 has unused bits.
 */
export const constantTimeEquals = (input: string, secret: string): boolean => timingSafeEqual(digestOf(input), digestOf(secret))
