import type { ConsolePorts } from '../ports.ts'

type Needs = Pick<ConsolePorts, 'closings' | 'media'>

/** One look of the upkeep takes so long at most; the next one goes on. */
const ROUND_MS = 20_000

/** Deletes what a closed account said, with the files that it made, or some of it until `untilMs` of performance.now(). */
export const forgetSaid = ({ closings, media }: Needs, accountId: string, untilMs: number): Promise<void> =>
  closings.forget(accountId, (files) => media.remove(files), untilMs)

/**
 * Goes on with what closed accounts have left: where a process died over it, the database or the store of files was away, or
 * there was much. Rejects where one of them fails; all others had their turn by then.
 */
export async function forgetClosed({ ctx }: { ctx: Needs }): Promise<void> {
  const untilMs = performance.now() + ROUND_MS
  const failures: unknown[] = []
  for (const accountId of await ctx.closings.unforgotten())
    await forgetSaid(ctx, accountId, untilMs).catch((error: unknown) => failures.push(error))
  if (failures.length > 0) throw failures[0]
}
