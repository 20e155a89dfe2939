import type { AlertWatch } from '../alerts/alert-ports.ts'
import type { Clock } from '../ports.ts'

/**
 * Looks at every rule that is switched on, one after the other. Any number of processes may do so at once: what a rule
 * finds is written down once. Answers how much is to be told; rejects with the first failure, when all were looked at.
 */
export async function runAlerts({ ctx }: { ctx: { clock: Clock; alertWatch: AlertWatch } }): Promise<number> {
  let told = 0
  const failures: unknown[] = []
  for (const rule of await ctx.alertWatch.rules()) {
    try {
      told += await ctx.alertWatch.look(rule, ctx.clock.now())
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return told
}
