import type { Pool, PoolClient } from 'pg'
import {
  type AlertEventRecord,
  type AlertRuleRecord,
  type AlertRuleValues,
  type AlertRuleWithState,
  type Alerts,
  PLATFORM_ACCOUNT_ID,
  type RuleOutcome,
} from '../services/alerts/alert-ports.ts'
import type { Actor } from '../services/operator/operator-ports.ts'
import type { Webhooks } from '../services/webhooks/webhook-ports.ts'
import { auditId, writeAudit } from './operator/audit.ts'
import { diffRows } from './operator/columns.ts'
import type { Keyring } from './seal.ts'
import { inTransaction } from './transaction.ts'

/** The events that operators' endpoints get about alerts. */
const EVENTS = ['alert.fired', 'alert.resolved']

const COLUMNS = {
  kind: 'kind',
  scope: 'scope',
  scopeId: 'scope_id',
  percentBp: 'percent_bp',
  minutes: 'minutes',
  leastRequests: 'least_requests',
  belowNano: 'below_nano',
  quietMinutes: 'quiet_minutes',
  emails: 'emails',
  webhooks: 'webhooks',
  enabled: 'enabled',
} as const satisfies Record<keyof AlertRuleValues, string>

const COLUMN_ENTRIES = Object.entries(COLUMNS) as [keyof AlertRuleValues, string][]
const SELECTED = ['r.id', 'r.version', ...COLUMN_ENTRIES.map(([name, column]) => `r.${column} as "${name}"`)].join(', ')

type Row = Omit<AlertRuleRecord, 'belowNano'> & { belowNano: string | null }

const recordOf = <R extends Row>(row: R) => ({ ...row, belowNano: row.belowNano === null ? null : BigInt(row.belowNano) })

/** The rules that are enabled. */
export async function readRules(pool: Pool): Promise<AlertRuleRecord[]> {
  const { rows } = await pool.query<Row>(
    `select ${SELECTED} from alert_rule r where r.archived_at is null and r.enabled order by r.id`,
  )
  return rows.map(recordOf)
}

const audit = (
  client: PoolClient,
  actor: Actor,
  line: { verb: string; target: string; targetId: string; before: object | null; after: object | null },
) => writeAudit(client, { id: auditId(), actor, ...line })

const toAuditRow = (values: AlertRuleValues): Record<string, unknown> =>
  Object.fromEntries(
    COLUMN_ENTRIES.map(([name, column]) => [column, typeof values[name] === 'bigint' ? String(values[name]) : values[name]]),
  )

const valuesOf = (values: AlertRuleValues): unknown[] =>
  COLUMN_ENTRIES.map(([name]) => (typeof values[name] === 'bigint' ? String(values[name]) : values[name]))

async function subjectExists(client: PoolClient, { scope, scopeId }: AlertRuleValues): Promise<boolean> {
  if (scopeId === null || scope === 'all') return true
  const { rowCount } = await client.query(`select 1 from ${scope === 'model' ? 'model' : 'connection'} where id = $1`, [scopeId])
  return rowCount === 1
}

/** Ends the rule's open alerts without reporting that they are over, because nobody watches them any more. */
const dropOpenAlerts = (client: PoolClient, ruleId: string) =>
  client.query(`update alert_event set ended = 'dropped', ended_at = now() where rule_id = $1 and ended_at is null`, [ruleId])

async function lockRule(client: PoolClient, id: string): Promise<AlertRuleRecord | null> {
  const { rows } = await client.query<Row>(
    `select ${SELECTED} from alert_rule r where r.id = $1 and r.archived_at is null for update`,
    [id],
  )
  return rows[0] ? recordOf(rows[0]) : null
}

async function add(client: PoolClient, actor: Actor, id: string, values: AlertRuleValues): Promise<RuleOutcome> {
  if (!(await subjectExists(client, values))) return 'no_subject'
  const placeholders = COLUMN_ENTRIES.map((_, at) => `$${at + 2}`)
  await client.query(
    `insert into alert_rule (id, ${COLUMN_ENTRIES.map(([, column]) => column).join(', ')}) values ($1, ${placeholders.join(', ')})`,
    [id, ...valuesOf(values)],
  )
  await audit(client, actor, {
    verb: 'alert_rule.add',
    target: 'alert_rule',
    targetId: id,
    before: null,
    after: toAuditRow(values),
  })
  return 'done'
}

async function change(
  client: PoolClient,
  actor: Actor,
  id: string,
  version: number,
  values: AlertRuleValues,
): Promise<RuleOutcome> {
  const found = await lockRule(client, id)
  if (!found) return 'missing'
  if (found.version !== version) return 'stale'
  if (!(await subjectExists(client, values))) return 'no_subject'
  const sets = COLUMN_ENTRIES.map(([, column], at) => `${column} = $${at + 2}`)
  await client.query(`update alert_rule set ${sets.join(', ')}, version = version + 1 where id = $1`, [id, ...valuesOf(values)])
  // What another measure found does not apply to this one.
  const same = (['kind', 'scope', 'scopeId'] as const).every((name) => found[name] === values[name])
  if (!values.enabled || !same) await dropOpenAlerts(client, id)
  const diff = diffRows(toAuditRow(found), toAuditRow(values))
  await audit(client, actor, { verb: 'alert_rule.change', target: 'alert_rule', targetId: id, ...diff })
  return 'done'
}

async function archive(client: PoolClient, actor: Actor, id: string, version: number): Promise<RuleOutcome> {
  const found = await lockRule(client, id)
  if (!found) return 'missing'
  if (found.version !== version) return 'stale'
  await client.query('update alert_rule set archived_at = now(), version = version + 1 where id = $1', [id])
  await dropOpenAlerts(client, id)
  await audit(client, actor, {
    verb: 'alert_rule.archive',
    target: 'alert_rule',
    targetId: id,
    before: toAuditRow(found),
    after: null,
  })
  return 'done'
}

async function enable(client: PoolClient, actor: Actor, id: string): Promise<'done' | 'already' | 'missing'> {
  const { rows } = await client.query<{ url: string; enabled: boolean; disabled_reason: string | null }>(
    'select url, enabled, disabled_reason from webhook_endpoint where id = $1 and account_id = $2 for update',
    [id, PLATFORM_ACCOUNT_ID],
  )
  const [found] = rows
  if (!found) return 'missing'
  if (found.enabled) return 'already'
  // Clears the failures of past days, or the next failure would switch it off again.
  await client.query('update webhook_endpoint set enabled = true, disabled_reason = null, failing_since = null where id = $1', [
    id,
  ])
  await audit(client, actor, {
    verb: 'alert_webhook.enable',
    target: 'alert_webhook',
    targetId: id,
    before: found,
    after: { ...found, enabled: true, disabled_reason: null },
  })
  return 'done'
}

const EVENT = `select e.id, e.rule_id as "ruleId", e.kind, e.name, e.detail, e.fired_at as "firedAt", e.ended_at as "endedAt", e.ended
  from alert_event e`

/** The alert rules of operators, and the alerts that they raised. */
export function createAlerts(pool: Pool, sealing: Pick<Keyring, 'seal'>, webhooks: Pick<Webhooks, 'list'>): Alerts {
  return {
    async rules() {
      const { rows } = await pool.query<Row & { scopeName: string | null; firing: number }>(
        `select ${SELECTED}, coalesce(c.name, r.scope_id) as "scopeName",
                (select count(*)::int from alert_event e where e.rule_id = r.id and e.ended_at is null) as firing
           from alert_rule r left join connection c on r.scope = 'connection' and c.id = r.scope_id
          where r.archived_at is null order by r.created_at, r.id`,
      )
      return rows.map((row): AlertRuleWithState => recordOf(row))
    },
    addRule: (actor, id, values) => inTransaction(pool, (client) => add(client, actor, id, values)),
    changeRule: (actor, id, version, values) => inTransaction(pool, (client) => change(client, actor, id, version, values)),
    archiveRule: (actor, id, version) => inTransaction(pool, (client) => archive(client, actor, id, version)),
    async events(before, rows) {
      const found = await pool.query<AlertEventRecord>(
        `${EVENT} where ($1::text is null or e.id < $1) order by e.id desc limit $2`,
        [before, rows],
      )
      return found.rows
    },
    addWebhook: (actor, { id, url, description, secret, at }, maxWebhooks) =>
      inTransaction(pool, async (client) => {
        await client.query('select pg_advisory_xact_lock(hashtext($1))', [`webhooks of ${PLATFORM_ACCOUNT_ID}`])
        const { rowCount } = await client.query(
          `insert into webhook_endpoint (id, account_id, url, description, events, secret_sealed, created_at)
           select $1, $2, $3, $4, $5, $6, $7 where (select count(*) from webhook_endpoint where account_id = $2) < $8`,
          [id, PLATFORM_ACCOUNT_ID, url, description, EVENTS, sealing.seal(secret), at, maxWebhooks],
        )
        if (rowCount !== 1) return false
        await audit(client, actor, {
          verb: 'alert_webhook.add',
          target: 'alert_webhook',
          targetId: id,
          before: null,
          after: { url, description },
        })
        return true
      }),
    enableWebhook: (actor, id) => inTransaction(pool, (client) => enable(client, actor, id)),
    removeWebhook: (actor, id) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<{ url: string }>(
          'delete from webhook_endpoint where id = $1 and account_id = $2 returning url',
          [id, PLATFORM_ACCOUNT_ID],
        )
        if (!rows[0]) return false
        await audit(client, actor, {
          verb: 'alert_webhook.remove',
          target: 'alert_webhook',
          targetId: id,
          before: { url: rows[0].url },
          after: null,
        })
        return true
      }),
    webhooks: () => webhooks.list(PLATFORM_ACCOUNT_ID),
  }
}
