import type { ConsolePorts } from '../ports.ts'

type Needs = Pick<ConsolePorts, 'closings' | 'media'>

/** The longest time that one round of upkeep may take. The next round continues. */
const ROUND_BUDGET_MS = 20_000

/**
 * Deletes the request content of a closed account and its generated files, or part of it if `untilMs` of performance.now() comes
 * first.
 */
export const eraseAccountContent = ({ closings, media }: Needs, accountId: string, untilMs: number): Promise<void> =>
  closings.eraseContent(accountId, (files) => media.remove(files), untilMs)

/**
 * Continues deleting what closed accounts have left: because a process died midway, the database or the file store was
 * unavailable, or there was much to delete. Rejects if one of them fails, after all others had their turn.
 */
export async function eraseClosedAccounts({ ctx }: { ctx: Needs }): Promise<void> {
  const untilMs = performance.now() + ROUND_BUDGET_MS
  const failures: unknown[] = []
  for (const accountId of await ctx.closings.listUnerased())
    await eraseAccountContent(ctx, accountId, untilMs).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
