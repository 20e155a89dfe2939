import type { Pool } from 'pg'
import type {
  CatalogReads,
  ConnectionRecord,
  DeploymentRecord,
  GroupAccountRecord,
  ListFilter,
  OperatorGroupRecord,
  OperatorModelRecord,
  PriceRecord,
} from '../../services/operator/operator-ports.ts'
import { escapeLike } from '../escape-like.ts'
import { readAudit } from './audit.ts'

/** Converts a search text to a pattern that matches it literally. */
const pattern = (search: string | null): string | null => (search === null || search === '' ? null : `%${escapeLike(search)}%`)

const values = ({ search, after, archived }: ListFilter): unknown[] => [pattern(search), after, archived]

/**
 * The condition for a living process `p`. Half a life after the last heartbeat that arrived, a process admits no more requests
 * (lib/ledger/membership.ts), whether it was killed or only cannot reach the database. A heartbeat is due every sixth of a life.
 */
export const PROCESS_IS_ALIVE = `p.beat_at > clock_timestamp() - p.life_ms * interval '0.5 milliseconds'`

/**
 * Deployments that a living process leaves out, that it is trying again, or whose limit for the minute it found used up. A
 * process that is gone does not count, and what a breaker reported an hour ago is older than any pause it can make.
 */
export const HEALTH = `
  select h.deployment_id, bool_or(h.state = 'open' and h.at > now() - interval '1 hour') as failing,
         bool_or(h.state = 'half_open' and h.at > now() - interval '1 hour') as trying,
         coalesce(bool_or(h.full_until > now()), false) as full_now
    from deployment_health h join process p on p.id = h.process_id
   where (h.state <> 'closed' and h.at > now() - interval '1 hour' or h.full_until > now()) and ${PROCESS_IS_ALIVE}
   group by h.deployment_id`

const CONNECTIONS = `
  with health as (${HEALTH})
  select c.id, c.name, c.kind, c.base_url as "baseUrl", c.secret_sealed as "secretSealed",
         c.headers_sealed as "headersSealed", c.proxy_sealed as "proxySealed", c.headers,
         c.connect_timeout_ms as "connectTimeoutMs", c.headers_timeout_ms as "headersTimeoutMs",
         c.idle_timeout_ms as "idleTimeoutMs", c.concurrency, c.version, c.archived_at as "archivedAt",
         c.created_at as "createdAt", d.deployments, d.failing
    from connection c cross join lateral (
         select count(*)::int as deployments, (count(*) filter (where h.failing))::int as failing
           from deployment d left join health h on h.deployment_id = d.id
          where d.connection_id = c.id and d.archived_at is null) d`

const MODELS = `
  with health as (${HEALTH})
  select m.id, m.owned_by as "ownedBy", m.modality, m.context_window as "contextWindow", m.max_output as "maxOutput",
         m.image_tokens as "imageTokens", m.capabilities, m.facts, m.enabled, m.version, m.archived_at as "archivedAt",
         m.created_at as "createdAt", p.units as rates, d.deployments, d.failing, g.groups
    from model m
    left join lateral (select units from price where model_id = m.id and starts_at <= $1 order by starts_at desc limit 1) p on true
    cross join lateral (
         select count(*)::int as deployments, (count(*) filter (where h.failing))::int as failing
           from deployment d join connection c on c.id = d.connection_id left join health h on h.deployment_id = d.id
          where d.model_id = m.id and d.archived_at is null and d.enabled and c.archived_at is null) d
    cross join lateral (select count(*)::int as groups from group_model where model_id = m.id) g`

const DEPLOYMENTS = `
  with health as (${HEALTH})
  select d.id, d.model_id as "modelId", d.connection_id as "connectionId", c.name as "connectionName",
         d.upstream_model as "upstreamModel", d.weight, d.priority, d.concurrency,
         d.requests_per_minute as "requestsPerMinute", d.tokens_per_minute as "tokensPerMinute", d.enabled, d.version,
         d.archived_at as "archivedAt", c.archived_at is not null as "connectionArchived",
         case when h.failing then 'failing' when h.trying then 'trying' else 'well' end as health,
         exists (select from deployment_hold where deployment_id = d.id) as held,
         coalesce(h.full_now and coalesce(d.requests_per_minute, d.tokens_per_minute) is not null, false) as "isFull"
    from deployment d join connection c on c.id = d.connection_id left join health h on h.deployment_id = d.id
   where ($1::text is null or d.model_id = $1) and ($2::text is null or d.connection_id = $2)
   order by d.archived_at nulls first, d.model_id, d.priority, d.id`

const SOLE_MODELS = `
  select m.id from model m
   where m.enabled and m.archived_at is null
     and exists (select from deployment where model_id = m.id and connection_id = $1 and enabled and archived_at is null)
     and not exists (
         select from deployment d join connection c on c.id = d.connection_id
          where d.model_id = m.id and d.connection_id <> $1 and d.enabled and d.archived_at is null and c.archived_at is null)
   order by m.id`

const GROUPS = `
  select g.id, g.name, g.description, g.multiplier_bp as "multiplierBp", g.rpm, g.tpm, g.is_default as "isDefault", g.open,
         g.version, g.archived_at as "archivedAt", g.created_at as "createdAt",
         (select count(*)::int from group_model where group_id = g.id) as models
    from model_group g`

const pageSql = (name: string, first: number): string =>
  `where ($${first}::text is null or ${name} ilike $${first}) and ($${first + 1}::text is null or ${name} > $${first + 1})
     and ($${first + 2} or archived_at is null) order by ${name} limit $${first + 3}`

const GROUP_ACCOUNTS = `
  select a.id, a.name, coalesce((select min(email) from app_user where account_id = a.id), '') as email
    from group_account g join account a on a.id = g.account_id
   where g.group_id = $1 and ($2::text is null or g.account_id < $2) order by g.account_id desc limit $3`

async function accountIds(pool: Pool, named: readonly string[]): Promise<Map<string, string>> {
  const found = await pool.query<{ named: string; id: string }>(
    `select n.named, a.id from unnest($1::text[]) n (named) join account a on a.id = n.named
      union select n.named, u.account_id from unnest($1::text[]) n (named) join app_user u on u.email = lower(n.named)`,
    [named],
  )
  return new Map(found.rows.map((row) => [row.named, row.id]))
}

/** The catalog as operators see it. Lists are read by key, so no page is slower than the first. */
export function createCatalogReads(pool: Pool): CatalogReads {
  const rows = async <T>(text: string, parameters: unknown[]): Promise<T[]> => (await pool.query(text, parameters)).rows as T[]
  return {
    connections: (filter, count) => rows<ConnectionRecord>(`${CONNECTIONS} ${pageSql('c.name', 1)}`, [...values(filter), count]),
    connection: async (id) => (await rows<ConnectionRecord>(`${CONNECTIONS} where c.id = $1`, [id]))[0] ?? null,
    soleModels: async (connectionId) => (await rows<{ id: string }>(SOLE_MODELS, [connectionId])).map(({ id }) => id),
    models: (filter, at, count) => rows<OperatorModelRecord>(`${MODELS} ${pageSql('m.id', 2)}`, [at, ...values(filter), count]),
    model: async (id, at) => (await rows<OperatorModelRecord>(`${MODELS} where m.id = $2`, [at, id]))[0] ?? null,
    prices: (modelId) =>
      rows<PriceRecord>(
        `select id, model_id as "modelId", starts_at as "startsAt", created_at as "createdAt", units as rates,
                vendor_units as "vendorRates", note
           from price where model_id = $1 order by starts_at desc limit 500`,
        [modelId],
      ),
    deployments: ({ modelId, connectionId }) => rows<DeploymentRecord>(DEPLOYMENTS, [modelId ?? null, connectionId ?? null]),
    groups: (filter, count) => rows<OperatorGroupRecord>(`${GROUPS} ${pageSql('g.name', 1)}`, [...values(filter), count]),
    group: async (id) => (await rows<OperatorGroupRecord>(`${GROUPS} where g.id = $1`, [id]))[0] ?? null,
    async groupModels(id) {
      const models = await rows<{ model_id: string }>('select model_id from group_model where group_id = $1 order by model_id', [
        id,
      ])
      return models.map(({ model_id }) => model_id)
    },
    groupAccounts: (id, before, count) => rows<GroupAccountRecord>(GROUP_ACCOUNTS, [id, before, count]),
    groupsOf: (modelId) =>
      rows<{ id: string; name: string }>(
        'select g.id, g.name from group_model m join model_group g on g.id = m.group_id where m.model_id = $1 order by g.name',
        [modelId],
      ),
    accountIds: (named) => accountIds(pool, named),
    audit: (filter, count) => readAudit(pool, filter, count),
  }
}
