import { createHmac } from 'node:crypto'
import { constantTimeEquals } from './constant-time-equals.ts'
import { extensionOf } from './served-types.ts'

/** `<hour of expiry, UTC>/<id>.<extension>`: the name alone tells when a file can be deleted. */
const NAME_PATTERN = /^\d{10}\/file_[0-9a-hjkmnp-tv-z]{26}\.[a-z0-9]{1,5}$/
/** The part of an address's path before the name. */
export const PATH_PREFIX = '/files/'
/** The end of the year 9999. Later hours would have more digits. */
const MAX_EXPIRY_MS = 253_402_300_799_000

/** The content of an address, once it is known to be ours and not expired. */
export interface SignedUrl {
  name: string
  /** Milliseconds since 1970, in whole seconds. */
  untilMs: number
}

/** Why an address is not accepted: it is not one of ours, its signature is wrong, or it has expired. */
export type UrlRejection = 'unknown' | 'unsigned' | 'expired'

/**
 * The hour of a time as ten sortable digits, in UTC: 2026112019. Throws a RangeError outside the range that a file can expire
 * in.
 */
export function expiryHourOf(ms: number): string {
  if (!(ms >= 0 && ms <= MAX_EXPIRY_MS)) throw new RangeError(`not a time that a file can expire at: ${ms}`)
  return new Date(ms).toISOString().slice(0, 13).replace(/[-T]/g, '')
}

/** The name of a new file, which expires at `untilMs`. */
export const fileNameOf = (id: string, type: string, untilMs: number): string =>
  `${expiryHourOf(untilMs)}/${id}.${extensionOf(type)}`

/** Whether this is the name of a file: letters, digits and one slash, so that it cannot leave its folder. */
export const isFileName = (text: string): boolean => NAME_PATTERN.test(text)

/** The parts of a name: `png`, `file_…`, and the hour of expiry as `expiryHourOf` formats it. Only for names that `isFileName` accepts. */
export const extensionOfName = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
export const fileIdOf = (name: string): string => name.slice(name.indexOf('/') + 1, name.lastIndexOf('.'))
export const expiryHourIn = (name: string): string => name.slice(0, name.indexOf('/'))

/** Signs the time exactly as it is written in the address. The same time written differently has another signature. */
function sign(key: Uint8Array, name: string, expires: string): string {
  return createHmac('sha256', key).update(`${name}\n${expires}`).digest('base64url')
}

/**
 * The address of a file, valid until `untilMs`, rounded down to the second. `publicUrl` may have a path and has no trailing
 * slash.
 */
export function signUrl(publicUrl: string, key: Uint8Array, name: string, untilMs: number): string {
  const expires = String(Math.floor(untilMs / 1000))
  return `${publicUrl}${PATH_PREFIX}${name}?expires=${expires}&signature=${sign(key, name, expires)}`
}

/**
 * Reads the path and the query (with its `?`) of a request. Checks the signature before the expiry, so that a guess reveals
 * nothing.
 */
export function verifyUrl(path: string, query: string, key: Uint8Array, nowMs: number): SignedUrl | UrlRejection {
  const name = path.startsWith(PATH_PREFIX) ? path.slice(PATH_PREFIX.length) : ''
  if (!isFileName(name)) return 'unknown'
  const params = new URLSearchParams(query)
  const [[expires = '', ...more], [signature = '', ...others]] = [params.getAll('expires'), params.getAll('signature')]
  if (more.length > 0 || others.length > 0 || !/^\d{1,12}$/.test(expires)) return 'unsigned'
  if (!constantTimeEquals(signature, sign(key, name, expires))) return 'unsigned'
  const untilMs = Number(expires) * 1000
  return nowMs < untilMs ? { name, untilMs } : 'expired'
}
