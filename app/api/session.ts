import { headers } from 'next/headers'
import type { Me } from '#lib/contracts/session'
import { getMe } from '#lib/services/account/get-me'
import type { SessionUser } from '#lib/services/sign-in/sign-in-ports'
import { pageRuntime } from '../page-runtime.ts'

/** The user whose session the page is rendered in. Null if nobody is signed in or the session was revoked. */
export async function pageUser(): Promise<SessionUser | null> {
  const cookie = (await headers()).get('cookie')
  return (await pageRuntime()).console.sessions.read(cookie)
}

/** The signed-in user, for the pages of the console. Null if nobody is signed in or the session was revoked. */
export async function currentUser(): Promise<Me | null> {
  const user = await pageUser()
  const { console } = await pageRuntime()
  return user && getMe({ ctx: { ...console.ports, user } })
}
