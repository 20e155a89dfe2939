import type { AlertWatch } from '../alerts/alert-ports.ts'
import type { Clock } from '../ports.ts'

/**
 * Checks every enabled rule, one after the other. Any number of processes may do so at once: what a rule finds is recorded once.
 * Returns the number of alerts that fired or were resolved. Rejects with the first failure after all rules were checked.
 */
export async function runAlerts({ ctx }: { ctx: { clock: Clock; alertWatch: AlertWatch } }): Promise<number> {
  let changedCount = 0
  const failures: unknown[] = []
  for (const rule of await ctx.alertWatch.rules()) {
    try {
      changedCount += await ctx.alertWatch.checkRule(rule, ctx.clock.now())
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  return changedCount
}
