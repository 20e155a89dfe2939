import { redirect } from 'next/navigation'
import { currentUser } from '../api/session.ts'
import type { SearchParams } from '../search-params.ts'

/**
 * Admits only visitors who are signed in. Others are redirected to the sign-in and return to exactly the address that they
 * requested. Every page of the console awaits this, because a layout does not know its address.
 */
export async function requireUser(path: string, searchParams: SearchParams): Promise<void> {
  if ((await currentUser()) !== null) return
  const pairs = Object.entries(await searchParams).flatMap(([name, value]) => [value ?? []].flat().map((each) => [name, each]))
  const query = new URLSearchParams(pairs).toString()
  redirect(`/sign-in?next=${encodeURIComponent(query === '' ? path : `${path}?${query}`)}`)
}
