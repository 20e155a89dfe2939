import type { KeyRow } from '#lib/contracts/keys'
import type { Ctx } from '../ports.ts'
import { startOfMonth } from '../utc.ts'
import { keyRow } from './key-row.ts'

/** The account's keys with what each has spent, in all and in this UTC month. */
export async function listKeys({ ctx }: { ctx: Ctx<'clock' | 'keys' | 'usage'> }): Promise<{ rows: KeyRow[] }> {
  const now = ctx.clock.now()
  const [keys, usage] = await Promise.all([
    ctx.keys.list(ctx.user.accountId),
    ctx.usage.byKey(ctx.user.accountId, startOfMonth(now)),
  ])
  return { rows: keys.map((key) => keyRow(key, usage.get(key.id), now)) }
}
