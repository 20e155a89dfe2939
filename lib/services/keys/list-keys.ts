import { formatKeyCursor, type KeyQuery, type KeyRow } from '#lib/contracts/keys'
import { pageOf } from '../page-of.ts'
import type { Ctx } from '../ports.ts'
import { startOfMonth } from '../utc.ts'
import { keyRow } from './key-row.ts'

/** Lists a page of the account's keys, those not revoked first, each with what it has spent in total and in this UTC month. */
export async function listKeys({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'keys' | 'usage'>
  input: KeyQuery
}): Promise<{ rows: KeyRow[]; next: string | null }> {
  const { search, state = null, group: groupId = null, before, limit } = input
  const now = ctx.clock.now()
  const [keys, usage] = await Promise.all([
    ctx.keys.list(ctx.user.accountId, { search: search || null, state, groupId, after: before ?? null, at: now }, limit + 1),
    ctx.usage.byKey(ctx.user.accountId, startOfMonth(now)),
  ])
  return pageOf(keys, limit, (key) => keyRow(key, usage.get(key.id), now), formatKeyCursor)
}
