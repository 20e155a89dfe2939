import type { Catalog, GroupExample, GroupRecord, ModelRecord } from '../../services/catalog-ports.ts'
import { Prisma, type PrismaClient } from '../generated/client.ts'
import { HEALTH } from '../operator/catalog-reads.ts'

/** The `connection.kind` of the built-in vendor that answers without a network. */
const SANDBOX = 'sandbox'

/** The deployments `d` that run the model `m`, with their connections `c`. */
const RUNNING = Prisma.sql`
  deployment d join connection c on c.id = d.connection_id
   where d.model_id = m.id and d.enabled and d.archived_at is null and c.archived_at is null`

/** Whether a vendor runs the model `m`. Models that no vendor runs are not shown: each call would fail. */
const RUNS = Prisma.sql`
  m.enabled and m.archived_at is null and exists (select from ${RUNNING})`

/** Groups and their models. Groups that are not open are for the accounts that they name. */
export function createCatalog(prisma: PrismaClient): Catalog {
  return {
    // Its lists are JSON, which is parsed at once. As arrays or rows of their own, the thousands of names in them would take
    // several times as long as everything else.
    groups: (accountId) => prisma.$queryRaw<GroupRecord[]>`
      select g.id, g.name, g.description, g.multiplier_bp as "multiplierBp", g.is_default as "isDefault",
             array_to_json(array(
               select i.model_id from group_model i
                where i.group_id = g.id
                  and i.model_id not in (select m.id from model m where not (${RUNS}))
                order by i.model_id)) as models
        from model_group g
       where g.archived_at is null
         and (g.open or exists (select from group_account a where a.group_id = g.id and a.account_id = ${accountId}))
       order by g.is_default desc, g.name`,
    // The sandbox has models that only fail, for tests of error handling.
    examples: (at) => prisma.$queryRaw<GroupExample[]>`
      with health as (${Prisma.raw(HEALTH)}),
      answering as (
        select distinct id from traffic
         where span = 'hour' and grain = 'model' and at > ${at}::timestamptz - interval '1 day'
           and requests > vendor_errors + client_errors + house_errors),
      candidate as materialized (
        select m.id, m.modality, m.created_at, m.owned_by = ${SANDBOX} and m.id like '%error%' as fails, d.well, d.real, m.facts -> 'assumed' is null as known,
               m.id in (select id from answering) as answered
          from model m cross join lateral (
               select bool_or(h.failing is not true and o.deployment_id is null) as well, bool_or(c.kind <> ${SANDBOX}) as real
                 from deployment d join connection c on c.id = d.connection_id
                 left join health h on h.deployment_id = d.id left join deployment_hold o on o.deployment_id = d.id
                where d.model_id = m.id and d.enabled and d.archived_at is null and c.archived_at is null) d
         where ${RUNS} and exists (select from price where model_id = m.id and starts_at <= ${at}))
      select distinct on (i.group_id, c.modality) i.group_id as "groupId", c.modality, c.id as "modelId"
        from group_model i join candidate c on c.id = i.model_id
       order by i.group_id, c.modality, c.fails, c.well desc, c.real desc, c.answered desc, c.known desc, c.created_at desc, c.id`,
    models: (at) => prisma.$queryRaw<ModelRecord[]>`
      select m.id, m.owned_by as "ownedBy", m.modality, m.context_window as "contextWindow", m.max_output as "maxOutput",
             to_json(m.capabilities) as capabilities, m.facts, m.created_at as "createdAt",
             p.starts_at as "priceFrom", p.units as rates,
             array_to_json(array(select distinct c.kind from ${RUNNING})) as kinds
        from model m cross join lateral (
             select starts_at, units from price where model_id = m.id and starts_at <= ${at} order by starts_at desc limit 1) p
       where ${RUNS}
       order by m.id`,
    async sandboxOnly() {
      const real = await prisma.deployment.findFirst({
        where: { enabled: true, archivedAt: null, connection: { kind: { not: SANDBOX }, archivedAt: null } },
        select: { id: true },
      })
      return real === null
    },
  }
}
