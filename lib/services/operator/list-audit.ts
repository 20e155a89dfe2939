import type { AuditQuery, AuditRow } from '#lib/contracts/operator-groups'
import { idOf, pageOf } from '../page-of.ts'
import type { Ctx } from '../ports.ts'

/** Lists a page of operators' actions, newest first. */
export async function listAudit({
  ctx,
  input,
}: {
  ctx: Ctx<'catalogReads'>
  input: AuditQuery
}): Promise<{ rows: AuditRow[]; next: string | null }> {
  const { before = null, target = null, targetId = null, limit } = input
  const found = await ctx.catalogReads.audit({ before, target, targetId }, limit + 1)
  const view = (row: (typeof found)[number]): AuditRow => ({
    ...row,
    at: row.at.toISOString(),
    before: (row.before ?? null) as AuditRow['before'],
    after: (row.after ?? null) as AuditRow['after'],
  })
  return pageOf(found, limit, view, idOf)
}
