import { headers } from 'next/headers'
import type { Me } from '#lib/contracts/session'
import { runtime } from '#lib/runtime'
import { getMe } from '#lib/services/get-me'

/** Who is signed in, for the pages of the console; null for a stranger or a session that was revoked. */
export async function currentUser(): Promise<Me | null> {
  const cookie = (await headers()).get('cookie')
  const { console } = await runtime()
  const user = await console.sessions.read(cookie)
  return user && getMe({ ctx: { ...console.ports, user } })
}
