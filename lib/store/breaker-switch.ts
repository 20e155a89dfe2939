import type { Pool } from 'pg'
import type { BreakerSwitch } from '../services/operator/operator-ports.ts'
import { notifyChange } from './notify-change.ts'
import { writeAudit } from './operator/audit.ts'
import { inTransaction } from './transaction.ts'

const VERBS = { automatic: 'deployment.release', held: 'deployment.hold', reset: 'deployment.reset' } as const

/**
 * The operator's control of the breakers. A hold is a row that every process reads with the catalog; a reset is a message to
 * all.
 */
export function createBreakerSwitch(pool: Pool): BreakerSwitch {
  return {
    set: (actor, logId, deploymentId, mode) =>
      inTransaction(pool, async (client) => {
        const found = await client.query('select 1 from deployment where id = $1 and archived_at is null for update', [
          deploymentId,
        ])
        if (found.rowCount === 0) return false
        const changed =
          mode === 'held'
            ? await client.query('insert into deployment_hold (deployment_id, held_by) values ($1, $2) on conflict do nothing', [
                deploymentId,
                actor.email,
              ])
            : await client.query('delete from deployment_hold where deployment_id = $1', [deploymentId])
        const wasHeld = mode === 'held' ? changed.rowCount === 0 : changed.rowCount === 1
        const isHeld = mode === 'held'
        if (wasHeld !== isHeld) await notifyChange(client, 'catalog', deploymentId)
        if (mode === 'reset') await notifyChange(client, 'breaker', deploymentId)
        await writeAudit(client, {
          id: logId,
          actor,
          verb: VERBS[mode],
          target: 'deployment',
          targetId: deploymentId,
          before: { held: wasHeld },
          after: { held: isHeld },
        })
        return true
      }),
  }
}
