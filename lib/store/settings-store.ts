import type { Pool, PoolClient } from 'pg'
import type { Actor } from '../services/operator/operator-ports.ts'
import type { SettingChange, SettingRecord, SettingStore } from '../services/settings-ports.ts'
import { notifyChange } from './notify-change.ts'
import { auditId, writeAudit } from './operator/audit.ts'
import { inTransaction } from './transaction.ts'

/** Any number that none of our other locks has. */
const SETTINGS_LOCK = 7_105_260_020

/** Ends a transaction because somebody else changed the setting first. */
class StaleSettingError extends Error {
  readonly setting: SettingChange['name']
  constructor(name: SettingChange['name']) {
    super('stale')
    this.setting = name
  }
}

async function write(client: PoolClient, actor: Actor, { name, version, to, before, usual }: SettingChange): Promise<void> {
  const found = await client.query<{ version: number }>('select version from setting where name = $1', [name])
  if ((found.rows[0]?.version ?? 0) !== version) throw new StaleSettingError(name)
  await client.query(
    `insert into setting (name, value, set, version, changed_at, changed_by) values ($1, $2, $3, $4, now(), $5)
     on conflict (name) do update set value = excluded.value, set = excluded.set, version = excluded.version,
       changed_at = excluded.changed_at, changed_by = excluded.changed_by`,
    [name, to ? JSON.stringify(to.value) : null, to !== undefined, version + 1, actor.email],
  )
  const verb = to ? 'setting.change' : 'setting.reset'
  const after = { value: to ? to.value : usual }
  const target = { target: 'setting', targetId: name }
  await writeAudit(client, { id: auditId(), actor, verb, ...target, before: { value: before }, after })
  await notifyChange(client, 'setting', name)
}

async function list(db: Pool | PoolClient): Promise<SettingRecord[]> {
  const { rows } = await db.query<SettingRecord>(
    'select name, value, set, version, changed_at as "changedAt", changed_by as "changedBy" from setting',
  )
  return rows
}

/** The operators' settings in the database. */
export function createSettingStore(pool: Pool): SettingStore {
  return {
    list: () => list(pool),
    async write(actor, changes, check) {
      try {
        await inTransaction(pool, async (client) => {
          await client.query('select pg_advisory_xact_lock($1)', [SETTINGS_LOCK])
          for (const change of changes) await write(client, actor, change)
          check?.(await list(client))
        })
        return null
      } catch (error) {
        if (error instanceof StaleSettingError) return { stale: error.setting }
        throw error
      }
    },
  }
}
