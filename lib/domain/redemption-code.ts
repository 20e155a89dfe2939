// Crockford's base 32, in which no letter looks like another or like a digit.
const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 20

/** How many random bytes a code needs. */
export const CODE_RANDOM_BYTES = LENGTH

const formatGroups = (code: string): string => (code.match(/.{5}/g) ?? []).join('-')

/** Formats a code for people: `K4T9Z-…`, 100 bits of randomness. */
export function formatCode(random: Uint8Array): string {
  return formatGroups(Array.from(random.subarray(0, LENGTH), (byte) => DIGITS.charAt(byte % 32)).join(''))
}

/** The form of a typed code that is hashed, or null if it cannot be a code. */
export function normalizeCode(typed: string): string | null {
  const code = typed.toUpperCase().replace(/[\s-]/g, '').replace(/[IL]/g, '1').replace(/O/g, '0')
  return code.length === LENGTH && [...code].every((digit) => DIGITS.includes(digit)) ? code : null
}

/** The part by which operators tell codes apart: the first group. */
export const codeHint = (code: string): string => `${code.slice(0, 5)}-…`
