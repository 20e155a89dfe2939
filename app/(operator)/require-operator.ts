import { notFound } from 'next/navigation'
import type { Role } from '#lib/contracts/session'
import { requireUser } from '../(console)/require-user.ts'
import { currentUser } from '../api/session.ts'
import type { SearchParams } from '../search-params.ts'

const VIEWER_ROLES: readonly Role[] = ['owner', 'operator', 'support']

/** Admits only operators of this gateway. For account holders the page does not exist. */
export async function requireOperator(path: string, searchParams: SearchParams): Promise<void> {
  await requireUser(path, searchParams)
  const user = await currentUser()
  if (!user || !VIEWER_ROLES.includes(user.role)) notFound()
}
