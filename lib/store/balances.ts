import type { Pool, PoolClient } from 'pg'
import type { BalanceRecord, Balances } from '../services/alerts/alert-ports.ts'
import type { Actor } from '../services/operator/operator-ports.ts'
import { auditId, writeAudit } from './operator/audit.ts'
import { inTransaction } from './transaction.ts'

/**
 * What a connection's calls have cost at its vendor between two times, by our records. Days that are added up are read as whole
 * days, the rest as hours and minutes.
 */
const costBetween = (connection: string, from: string, to: string): string => `(
  select coalesce(sum(n.cost), 0)::bigint from (
    select t.vendor_cost_nano as cost from traffic t
     where t.span = 'minute' and t.grain = 'connection' and t.id = ${connection}
       and t.at >= ${from} and t.at < least(${to}, ${ceilToUnit('hour', from)})
    union all
    select t.vendor_cost_nano from traffic t
     where t.span = 'hour' and t.grain = 'connection' and t.id = ${connection} and t.at >= ${from} and t.at < ${to}
       and (t.at < ${ceilToUnit('day', from)} or t.at >= ${ROLLED_UP_UNTIL})
    union all
    select t.vendor_cost_nano from traffic t
     where t.span = 'day' and t.grain = 'connection' and t.id = ${connection}
       and t.at >= ${from} and t.at < least(${to}, ${ROLLED_UP_UNTIL})) n)`

/** The time until which days are added up. */
const ROLLED_UP_UNTIL = `(select coalesce(max(d.at) + interval '24 hours', '-infinity') from traffic d
                  where d.span = 'day' and d.grain = 'all' and d.id = '')`

/** The first whole day or hour at or after a time. */
function ceilToUnit(unit: 'day' | 'hour', at: string): string {
  const floor = `date_trunc('${unit}', ${at}, 'UTC')`
  return `(case when ${floor} = ${at} then ${at} else ${floor} + interval '${unit === 'day' ? '24 hours' : '1 hour'}' end)`
}

/** How long a vendor's answer is valid. */
const VENDOR_BALANCE_TTL = `interval '1 hour'`

/** What is left at each vendor, if known: the vendor's own figure, or else what was stated less the cost of our calls since. */
export const REMAINING_BALANCES = `
  select b.connection_id, c.name, c.archived_at,
         case when a.fresh then b.asked_nano else s.reckoned end as left_nano,
         case when a.fresh then b.asked_currency end as currency,
         case when a.fresh then 'vendor' else 'stated' end as source
    from connection_balance b join connection c on c.id = b.connection_id
   cross join lateral (select coalesce(b.asked_nano is not null and b.asked_at > now() - ${VENDOR_BALANCE_TTL}, false) as fresh) a
   cross join lateral (
     select b.base_nano - ${costBetween('b.connection_id', 'b.base_at', `'infinity'::timestamptz`)} as reckoned) s`

const SELECTED = `
  select c.id as "connectionId", c.name, c.kind, c.archived_at is not null as archived,
         b.stated_nano as "statedNano", b.stated_at as "statedAt",
         b.base_nano - ${costBetween('b.connection_id', 'b.base_at', `'infinity'::timestamptz`)} as "reckonedNano",
         case when b.asked_at > now() - ${VENDOR_BALANCE_TTL} then b.asked_nano end as "askedNano",
         b.asked_currency as "askedCurrency", b.asked_at as "askedAt", b.ask_error as "askError",
         coalesce(b.version, 0) as version
    from connection c left join connection_balance b on b.connection_id = c.id`

// Two days later, when a day's traffic is complete, a statement is moved to the start of the day after it.
const ADVANCE_BASE = `
  update connection_balance b
     set base_nano = b.base_nano - ${costBetween('b.connection_id', 'b.base_at', ceilToUnit('day', 'b.base_at'))},
         base_at = ${ceilToUnit('day', 'b.base_at')}
   where b.base_at is not null and ${ceilToUnit('day', 'b.base_at')} <> b.base_at
     and ${ceilToUnit('day', 'b.base_at')} < $1::timestamptz - interval '2 days'`

type Row = Omit<BalanceRecord, 'statedNano' | 'reckonedNano' | 'askedNano'> &
  Record<'statedNano' | 'reckonedNano' | 'askedNano', string | null>

const toBigIntOrNull = (text: string | null): bigint | null => (text === null ? null : BigInt(text))

const recordOf = (row: Row): BalanceRecord => ({
  ...row,
  statedNano: toBigIntOrNull(row.statedNano),
  reckonedNano: toBigIntOrNull(row.reckonedNano),
  askedNano: toBigIntOrNull(row.askedNano),
})

type StatedBalance = Parameters<Balances['stateBalance']>[3]

/** Stores what somebody stated, with a line in the log, unless somebody has stated something else since. */
async function stateBalance(client: PoolClient, actor: Actor, connectionId: string, version: number, stated: StatedBalance) {
  const existing = await client.query('select 1 from connection where id = $1 for update', [connectionId])
  if (existing.rowCount === 0) return 'missing'
  const { rows } = await client.query<{ version: number; stated_nano: string | null; stated_at: Date | null }>(
    'select version, stated_nano, stated_at from connection_balance where connection_id = $1',
    [connectionId],
  )
  if ((rows[0]?.version ?? 0) !== version) return 'stale'
  const values = [stated === null ? null : String(stated.nano), stated?.at ?? null]
  await client.query(
    `insert into connection_balance (connection_id, stated_nano, stated_at, base_nano, base_at) values ($1, $2, $3, $2, $3)
     on conflict (connection_id) do update set stated_nano = excluded.stated_nano, stated_at = excluded.stated_at,
       base_nano = excluded.base_nano, base_at = excluded.base_at, version = connection_balance.version + 1`,
    [connectionId, ...values],
  )
  const before = { stated_nano: rows[0]?.stated_nano ?? null, stated_at: rows[0]?.stated_at ?? null }
  const after = { stated_nano: values[0], stated_at: values[1] }
  const target = { target: 'connection', targetId: connectionId }
  await writeAudit(client, { id: auditId(), actor, verb: 'balance.state', ...target, before, after })
  return 'done'
}

/** What is left of the money at vendors. */
export function createBalances(pool: Pool): Balances {
  return {
    async list(after, rows) {
      const found = await pool.query<Row>(
        `${SELECTED} where c.kind <> 'sandbox' and c.archived_at is null and ($1::text is null or c.name > $1)
          order by c.name limit $2`,
        [after, rows],
      )
      return found.rows.map(recordOf)
    },
    async find(connectionId) {
      const { rows } = await pool.query<Row>(`${SELECTED} where c.id = $1`, [connectionId])
      return rows[0] ? recordOf(rows[0]) : null
    },
    stateBalance: (actor, connectionId, version, stated) =>
      inTransaction(pool, (client) => stateBalance(client, actor, connectionId, version, stated)),
    async claim(kinds, now, next) {
      await pool.query(ADVANCE_BASE, [now])
      await pool.query(
        `insert into connection_balance (connection_id, next_ask_at)
         select c.id, $2 from connection c left join connection_balance b on b.connection_id = c.id
          where c.kind = any ($1) and c.archived_at is null and b.next_ask_at is null
         on conflict (connection_id) do update set next_ask_at = coalesce(connection_balance.next_ask_at, excluded.next_ask_at)`,
        [kinds, now],
      )
      const { rows } = await pool.query<{ connection_id: string }>(
        `with due as (
           select b.connection_id from connection_balance b join connection c on c.id = b.connection_id
            where b.next_ask_at <= $1 and c.archived_at is null and c.kind = any ($3)
            order by b.next_ask_at limit 20 for update of b skip locked)
         update connection_balance b set next_ask_at = $2 from due where b.connection_id = due.connection_id
         returning b.connection_id`,
        [now, next, kinds],
      )
      return rows.map(({ connection_id }) => connection_id)
    },
    async recordVendorBalance(connectionId, asked, at) {
      if (asked.ok)
        await pool.query(
          `update connection_balance set asked_nano = $2, asked_currency = $3, asked_at = $4, ask_error = null where connection_id = $1`,
          [connectionId, String(asked.nano), asked.currency, at],
        )
      else
        await pool.query('update connection_balance set ask_error = $2 where connection_id = $1', [connectionId, asked.message])
    },
  }
}
