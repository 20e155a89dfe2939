import type { AuditQuery, AuditRow } from '#lib/contracts/operator-groups'
import type { Ctx } from '../ports.ts'

/** A page of what operators did, newest first. */
export async function listAudit({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads'>
  input: AuditQuery
}): Promise<{ rows: AuditRow[]; next: string | null }> {
  const { before = null, target = null, targetId = null, limit } = input
  const found = await ctx.catalogReads.audit({ before, target, targetId }, limit + 1)
  const shown = found.slice(0, limit)
  return {
    rows: shown.map((row) => ({
      ...row,
      at: row.at.toISOString(),
      before: (row.before ?? null) as AuditRow['before'],
      after: (row.after ?? null) as AuditRow['after'],
    })),
    next: found.length > limit ? (shown.at(-1)?.id ?? null) : null,
  }
}
