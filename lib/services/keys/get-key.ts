import type { KeyRow } from '#lib/contracts/keys'
import type { Ctx } from '../ports.ts'
import { startOfMonth } from '../utc.ts'
import { createKeyNotFoundError } from './key-not-found.ts'
import { keyRow } from './key-row.ts'

/** Returns one key, with what it has spent. Errors: `not_found`, also for another account's key. */
export async function getKey({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'keyChanges' | 'usage'>
  input: { id: string }
}): Promise<{ key: KeyRow }> {
  const { accountId } = ctx.user
  const now = ctx.clock.now()
  const [key, usage] = await Promise.all([
    ctx.keyChanges.find(accountId, input.id),
    ctx.usage.ofKey(accountId, input.id, startOfMonth(now)),
  ])
  if (key === null) throw createKeyNotFoundError()
  return { key: keyRow(key, usage, now) }
}
