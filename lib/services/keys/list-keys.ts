import type { KeyQuery, KeyRow } from '#lib/contracts/keys'
import type { Ctx } from '../ports.ts'
import { invalidField } from '../service-error.ts'
import { startOfMonth } from '../utc.ts'
import type { KeyMark } from './key-ports.ts'
import { keyRow } from './key-row.ts'

const MARK = /^(-|\d{1,15})~(\d{1,15})~([^~]{1,64})$/

const markText = ({ revokedAt, createdAt, id }: KeyMark): string => `${revokedAt?.getTime() ?? '-'}~${createdAt.getTime()}~${id}`

function readMark(text: string): KeyMark {
  const [, revoked, created, id] = MARK.exec(text) ?? []
  if (id === undefined) throw invalidField('before', 'This is not a place in the list. Start again from its beginning.')
  return { revokedAt: revoked === '-' ? null : new Date(Number(revoked)), createdAt: new Date(Number(created)), id }
}

/**
 * A page of the account's keys, those in use first, each with what it has spent, in all and in this UTC month. Errors:
 * `invalid_input` (before).
 */
export async function listKeys({
  ctx,
  input,
}: {
  ctx: Ctx<'clock' | 'keys' | 'usage'>
  input: KeyQuery
}): Promise<{ rows: KeyRow[]; next: string | null }> {
  const { search, state = null, group: groupId = null, before, limit } = input
  const now = ctx.clock.now()
  const after = before === undefined ? null : readMark(before)
  const [keys, usage] = await Promise.all([
    ctx.keys.list(ctx.user.accountId, { search: search || null, state, groupId, after, at: now }, limit + 1),
    ctx.usage.byKey(ctx.user.accountId, startOfMonth(now)),
  ])
  const shown = keys.slice(0, limit)
  const last = shown.at(-1)
  return {
    rows: shown.map((key) => keyRow(key, usage.get(key.id), now)),
    next: keys.length > limit && last ? markText(last) : null,
  }
}
