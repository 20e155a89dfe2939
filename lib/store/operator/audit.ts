import { randomBytes } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { ID_RANDOM_BYTES, newId } from '../../domain/ids.ts'
import type { Actor, AuditFilter, AuditRecord } from '../../services/operator/operator-ports.ts'

/** One line of the log: who did what to what, with its state before and after. Never contains a secret. */
export interface AuditLine {
  id: string
  actor: Actor
  verb: string
  target: string
  targetId: string
  before: object | null
  after: object | null
}

/** An id for a line written now. */
export const auditId = (): string => newId('aud', Date.now(), randomBytes(ID_RANDOM_BYTES))

/** Writes a line in the transaction that it describes, so neither exists without the other. */
export async function writeAudit(client: PoolClient, line: AuditLine): Promise<void> {
  const { id, actor, verb, target, targetId, before, after } = line
  await client.query(
    `insert into audit_log (id, actor_id, actor, verb, target, target_id, before, after) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [id, actor.userId, actor.email, verb, target, targetId, before && JSON.stringify(before), after && JSON.stringify(after)],
  )
}

/** Writes a line about an account, or about a person or thing in it. Together they are the account's own log. */
export const writeAccountAudit = (
  client: PoolClient,
  actor: Actor,
  accountId: string,
  line: { verb: string; before: object | null; after: object | null },
): Promise<void> => writeAudit(client, { id: auditId(), actor, target: 'account', targetId: accountId, ...line })

/** Reads a page of the log, newest first. */
export async function readAudit(pool: Pool, filter: AuditFilter, rows: number): Promise<AuditRecord[]> {
  const found = await pool.query<AuditRecord>(
    `select l.id, l.at, l.actor, l.verb, l.target, l.target_id as "targetId", l.before, l.after,
            coalesce(c.name, g.name, d.upstream_model,
              (select u.email from app_user u where l.target = 'account' and u.account_id = l.target_id
                order by u.created_at, u.id limit 1)) as name,
            coalesce(d.model_id, p.model_id) as "modelId"
       from (select * from audit_log
              where ($1::text is null or id < $1) and ($2::text is null or target = $2) and ($3::text is null or target_id = $3)
              order by id desc limit $4) l
       left join connection c on l.target = 'connection' and c.id = l.target_id
       left join model_group g on l.target = 'group' and g.id = l.target_id
       left join deployment d on l.target = 'deployment' and d.id = l.target_id
       left join price p on l.target = 'price' and p.id = l.target_id
      order by l.id desc`,
    [filter.before, filter.target, filter.targetId, rows],
  )
  return found.rows
}
