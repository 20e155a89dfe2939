import { createHmac } from 'node:crypto'
import { isSame } from './is-same.ts'
import { extensionOf } from './types.ts'

/** `<hour of expiry, UTC>/<id>.<extension>`: the name alone says when a file can go. */
const NAME = /^\d{10}\/file_[0-9a-hjkmnp-tv-z]{26}\.[a-z0-9]{1,5}$/
/** What stands before the name in the path of an address. */
export const FOLDER = '/files/'
/** The end of the year 9999: hours after that have another length. */
const LAST_MS = 253_402_300_799_000

/** What an address says, once it is known to be ours and still good. */
export interface Address {
  name: string
  /** Milliseconds since 1970, whole seconds. */
  untilMs: number
}

/** Why an address leads nowhere: it is none of ours, its signature is wrong, or its time is over. */
export type NoAddress = 'unknown' | 'unsigned' | 'expired'

/** The hour of a time as ten digits that sort: 2026112019. UTC. Throws RangeError outside the years 0 to 9999. */
export function hourOf(ms: number): string {
  if (!(ms >= 0 && ms <= LAST_MS)) throw new RangeError(`not a time that a file can expire at: ${ms}`)
  return new Date(ms).toISOString().slice(0, 13).replace(/[-T]/g, '')
}

/** The name of a new file, which expires at `untilMs`. */
export const nameOf = (id: string, type: string, untilMs: number): string => `${hourOf(untilMs)}/${id}.${extensionOf(type)}`

/** Whether this is the name of a file: letters, digits and one slash, so that it leads out of no folder. */
export const isName = (text: string): boolean => NAME.test(text)

/** What a name says of its file: `png`, `file_…`, and the hour of its expiry as `hourOf` writes it. Only of what `isName` knows. */
export const extensionIn = (name: string): string => name.slice(name.lastIndexOf('.') + 1)
export const idIn = (name: string): string => name.slice(name.indexOf('/') + 1, name.lastIndexOf('.'))
export const hourIn = (name: string): string => name.slice(0, name.indexOf('/'))

/** What is signed is what stands in the address, digit by digit: the same time written otherwise has no signature. */
function sign(key: Uint8Array, name: string, expires: string): string {
  return createHmac('sha256', key).update(`${name}\n${expires}`).digest('base64url')
}

/** Where a file is found until `untilMs`, cut to the second. `publicUrl` may have a path, and ends without a slash. */
export function addressOf(publicUrl: string, key: Uint8Array, name: string, untilMs: number): string {
  const expires = String(Math.floor(untilMs / 1000))
  return `${publicUrl}${FOLDER}${name}?expires=${expires}&signature=${sign(key, name, expires)}`
}

/** Reads the path and the query (with its `?`) of a request. The signature comes before the clock: else who guesses learns. */
export function readAddress(path: string, query: string, key: Uint8Array, nowMs: number): Address | NoAddress {
  const name = path.startsWith(FOLDER) ? path.slice(FOLDER.length) : ''
  if (!isName(name)) return 'unknown'
  const params = new URLSearchParams(query)
  const [[expires = '', ...more], [signature = '', ...others]] = [params.getAll('expires'), params.getAll('signature')]
  if (more.length > 0 || others.length > 0 || !/^\d{1,12}$/.test(expires)) return 'unsigned'
  if (!isSame(signature, sign(key, name, expires))) return 'unsigned'
  const untilMs = Number(expires) * 1000
  return nowMs < untilMs ? { name, untilMs } : 'expired'
}
