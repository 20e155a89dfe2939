import { headers } from 'next/headers'
import type { Me } from '#lib/contracts/session'
import { getMe } from '#lib/services/account/get-me'
import type { SessionUser } from '#lib/services/sign-in/sign-in-ports'
import { pageRuntime } from '../page-runtime.ts'

/** Whose session a page is drawn in; null for a stranger or a session that was revoked. */
export async function pageUser(): Promise<SessionUser | null> {
  const cookie = (await headers()).get('cookie')
  return (await pageRuntime()).console.sessions.read(cookie)
}

/** Who is signed in, for the pages of the console; null for a stranger or a session that was revoked. */
export async function currentUser(): Promise<Me | null> {
  const user = await pageUser()
  const { console } = await pageRuntime()
  return user && getMe({ ctx: { ...console.ports, user } })
}
