import { randomBytes } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'
import { type AlertStep, type FiringAlert, planAlertSteps, type RuleObservation } from '../domain/alerts.ts'
import { ID_RANDOM_BYTES, newId } from '../domain/ids.ts'
import { formatDecimal } from '../domain/money.ts'
import { MINUTE_MS } from '../domain/time-units.ts'
import { type AlertRuleRecord, type AlertWatch, PLATFORM_ACCOUNT_ID } from '../services/alerts/alert-ports.ts'
import { readRules } from './alert-rules.ts'
import { REMAINING_BALANCES } from './balances.ts'
import { putNotice } from './notices.ts'
import { HEALTH } from './operator/catalog-reads.ts'
import { inTransaction } from './transaction.ts'

/** How long a condition has to be over before that is reported. A breaker that half opens and opens again is one failure. */
const CLEAR_MS = 60_000

// By connection: a vendor that fails is one alert, however many of its models fail with it.
const BREAKERS = `
  with health as (${HEALTH})
  select c.id as subject, c.name, true as holds,
         json_build_object('models', (array_agg(distinct d.model_id))[1:20], 'deployments', count(*)) as detail
    from health h join deployment d on d.id = h.deployment_id join connection c on c.id = d.connection_id
   where (h.failing or h.trying) and d.enabled and d.archived_at is null and c.archived_at is null
     and ($1::text is null or d.model_id = $1)
   group by c.id, c.name`

// For a connection, the calls to it count, including failed ones that another deployment made good. For everything and for
// models, the requests count, and those failures that were not the client's fault.
const ERRORS = `
  with counted as (
    select t.id, sum(case when t.grain = 'connection' then t.attempts else t.requests end) as all_of,
           sum(case when t.grain = 'connection' then t.attempt_failures else t.vendor_errors + t.house_errors end) as failed
      from traffic t
     where t.span = 'minute' and t.grain = $1 and ($2::text is null or t.id = $2)
       and t.at > $3::timestamptz - make_interval(mins => $4) and t.at <= $3
     group by t.id)
  select n.id as subject, coalesce(c.name, n.id) as name, n.all_of >= $5 and n.failed * 10000 > n.all_of * $6 as holds,
         json_build_object('requests', n.all_of, 'failed', n.failed,
                           'percent', round(n.failed * 100.0 / greatest(n.all_of, 1), 2)) as detail
    from counted n left join connection c on $1 = 'connection' and c.id = n.id
   where n.all_of > 0`

const BALANCES = `
  with known as (${REMAINING_BALANCES})
  select k.connection_id as subject, k.name, k.left_nano < $2::bigint as holds,
         json_build_object('left', nano_text(k.left_nano), 'currency', k.currency, 'from', k.source) as detail
    from known k where k.archived_at is null and ($1::text is null or k.connection_id = $1)`

async function observeRule(client: PoolClient, rule: AlertRuleRecord, now: Date): Promise<RuleObservation[]> {
  const { kind, scope, scopeId } = rule
  if (kind === 'breaker') return (await client.query<RuleObservation>(BREAKERS, [scopeId])).rows
  if (kind === 'errors') {
    const parameters = [scope, scope === 'all' ? '' : scopeId, now, rule.minutes, rule.leastRequests, rule.percentBp]
    return (await client.query<RuleObservation>(ERRORS, parameters)).rows
  }
  return (await client.query<RuleObservation>(BALANCES, [scopeId, String(rule.belowNano ?? 0n)])).rows
}

interface AlertNotification {
  id: string
  name: string
  state: 'fired' | 'resolved'
  detail: Record<string, unknown>
  firedAt: Date
}

/** Records what is to be reported, in the transaction in which it happens. */
async function notifyAlert(
  client: PoolClient,
  rule: AlertRuleRecord,
  { id, name, state, detail, firedAt }: AlertNotification,
  now: Date,
) {
  const about = {
    ...detail,
    percentLimit: (rule.percentBp ?? 0) / 100,
    minutes: rule.minutes,
    below: rule.belowNano === null ? null : formatDecimal(rule.belowNano),
  }
  for (const [at, to] of rule.emails.entries()) {
    const event = {
      id: `${id}_${state}_${at}`,
      accountId: PLATFORM_ACCOUNT_ID,
      at: now,
      kind: 'operator.alert' as const,
      state,
      to,
      name,
    }
    await putNotice(client, { ...event, rule: rule.kind, scope: rule.scope, about })
  }
  if (!rule.webhooks) return
  const data = {
    alert_id: id,
    rule_id: rule.id,
    rule: rule.kind,
    scope: rule.kind === 'breaker' ? 'connection' : rule.scope,
    name,
    fired_at: firedAt.toISOString(),
    ...(state === 'resolved' ? { resolved_at: now.toISOString() } : {}),
    ...detail,
  }
  await client.query('select emit_webhook($1, $2, $3, $4)', [PLATFORM_ACCOUNT_ID, `alert.${state}`, id, JSON.stringify(data)])
}

async function applyStep(client: PoolClient, rule: AlertRuleRecord, step: AlertStep, now: Date): Promise<number> {
  if (step.do === 'clear' || step.do === 'hold') {
    await client.query('update alert_event set clear_since = $2 where id = $1', [step.id, step.do === 'clear' ? now : null])
    return 0
  }
  if (step.do === 'fire') {
    const { subject, name, detail } = step.seen
    const id = newId('alert', now.getTime(), randomBytes(ID_RANDOM_BYTES))
    const { rowCount } = await client.query(
      `insert into alert_event (id, rule_id, subject, name, kind, detail, fired_at) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict do nothing`,
      [id, rule.id, subject, name, rule.kind, JSON.stringify(detail), now],
    )
    if (rowCount === 0) return 0
    await notifyAlert(client, rule, { id, name, state: 'fired', detail, firedAt: now }, now)
    return 1
  }
  const { rows } = await client.query<{ name: string; detail: Record<string, unknown>; fired_at: Date }>(
    `update alert_event set ended = 'resolved', ended_at = $2 where id = $1 and ended_at is null returning name, detail, fired_at`,
    [step.id, now],
  )
  const [row] = rows
  if (!row) return 0
  const detail = step.detail ?? {}
  await notifyAlert(client, rule, { id: step.id, name: row.name, state: 'resolved', detail, firedAt: row.fired_at }, now)
  return 1
}

/** Checks one rule with its row locked. A process that comes at the same time finds it done, or skips it. */
async function checkRule(client: PoolClient, rule: AlertRuleRecord, now: Date): Promise<number> {
  const { id } = rule
  const lock = await client.query(
    'select 1 from alert_rule where id = $1 and version = $2 and archived_at is null and enabled for update skip locked',
    [id, rule.version],
  )
  if (lock.rowCount === 0) return 0
  const observations = await observeRule(client, rule, now)
  const firing = await client.query<FiringAlert>(
    'select id, subject, clear_since as "clearSince" from alert_event where rule_id = $1 and ended_at is null',
    [id],
  )
  const resolvedAlerts = await client.query<{ subject: string; at: Date }>(
    `select subject, max(ended_at) as at from alert_event
      where rule_id = $1 and ended = 'resolved' and subject = any ($2) group by subject`,
    [id, observations.map(({ subject }) => subject)],
  )
  const endedAtBySubject = new Map(resolvedAlerts.rows.map(({ subject, at }) => [subject, at]))
  const steps = planAlertSteps(observations, firing.rows, endedAtBySubject, {
    now,
    clearMs: CLEAR_MS,
    quietMs: rule.quietMinutes * MINUTE_MS,
  })
  let notifiedCount = 0
  for (const step of steps) notifiedCount += await applyStep(client, rule, step, now)
  return notifiedCount
}

/** Checks whether rules hold. Whichever process comes first does it. */
export function createAlertWatch(pool: Pool): AlertWatch {
  return {
    rules: () => readRules(pool),
    checkRule: (rule, now) => inTransaction(pool, (client) => checkRule(client, rule, now)),
  }
}
