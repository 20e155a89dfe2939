import { notFound } from 'next/navigation'
import type { Role } from '#lib/contracts/session'
import { requireUser } from '../(console)/require-user.ts'
import { currentUser } from '../api/session.ts'
import type { SearchParams } from '../search-params.ts'

const LOOKERS: readonly Role[] = ['owner', 'operator', 'support']

/** Lets a page be seen by those who run this gateway; for account holders there is no such page. */
export async function requireOperator(path: string, searchParams: SearchParams): Promise<void> {
  await requireUser(path, searchParams)
  const user = await currentUser()
  if (!user || !LOOKERS.includes(user.role)) notFound()
}
