import Bowser from 'bowser'
import type { Guest } from '../services/ports.ts'
import type { Visitor } from '../services/sign-in/sign-in-ports.ts'
import { clientAddress } from './address.ts'
import { localeOf } from './locale.ts'

const MAX_AGENT = 512
const MAX_WORD = 40

/** Who asks, of whom no more is known. */
export const guestOf = (headers: Headers): Guest => ({ address: clientAddress(headers), locale: localeOf(headers) })

/** From where a request comes: its address as it is counted, and its browser and system in words. */
export function visitorOf(headers: Headers): Visitor {
  const agent = headers.get('user-agent')?.slice(0, MAX_AGENT) ?? ''
  const { browser, os } = agent === '' ? { browser: {}, os: {} } : Bowser.parse(agent)
  const word = (name: string | undefined) => (name ?? '').slice(0, MAX_WORD)
  return { address: clientAddress(headers), browser: word(browser.name), system: word(os.name) }
}
