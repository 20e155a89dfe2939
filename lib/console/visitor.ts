import Bowser from 'bowser'
import type { Guest } from '../services/ports.ts'
import type { Visitor } from '../services/sign-in/sign-in-ports.ts'
import { clientAddress } from './client-address.ts'
import { localeOf } from './locale.ts'

const MAX_USER_AGENT_LENGTH = 512
const MAX_NAME_LENGTH = 40

/** What is known about a visitor who is not signed in. */
export const guestOf = (headers: Headers): Guest => ({ address: clientAddress(headers), locale: localeOf(headers) })

/** Where a request comes from: its address as it is counted, and the names of its browser and operating system. */
export function visitorOf(headers: Headers): Visitor {
  const agent = headers.get('user-agent')?.slice(0, MAX_USER_AGENT_LENGTH) ?? ''
  const { browser, os } = agent === '' ? { browser: {}, os: {} } : Bowser.parse(agent)
  const truncateName = (name: string | undefined) => (name ?? '').slice(0, MAX_NAME_LENGTH)
  return { address: clientAddress(headers), browser: truncateName(browser.name), system: truncateName(os.name) }
}
