import type pg from 'pg'
import { createPasswords } from '#lib/services/sign-in/password'
import { PASSWORD } from './console.ts'
import { fillInTransaction, insertRecordsSql, rollUpUsage, writeUsage } from './usage-data.ts'

/** The size of the gateway that an operator looks at. */
export interface OperatorScale {
  models: number
  accounts: number
  /** Usage records. A tenth of them belong to one account. */
  rows: number
}

export const DEFAULT_SCALE: OperatorScale = { models: 1000, accounts: 100_000, rows: 10_000_000 }

export const OWNER = 'owner@example.com'
/** The email of the account with a tenth of all usage. */
export const BUSY = 'busy@example.com'
export const BUSY_ACCOUNT = 'acc_busy'

const DAYS = 90
const CONNECTIONS = 40
const GROUPS = 60
const AUDIT_LINES = 200_000
/** How many requests an account sends in a row, to one model with one key. */
const IN_A_ROW = 20

/** Vendors, the catalog with several versions of each price, and groups, a tenth of which are for named accounts. */
const CATALOG = [
  `insert into connection (id, name, kind, base_url, created_at)
   select 'con_' || n, 'Vendor ' || lpad(n::text, 3, '0'), 'openai-compatible', 'http://127.0.0.1:9/v1', now()
     from generate_series(0, ${CONNECTIONS - 1}) n`,
  `insert into model (id, owned_by, modality, context_window, max_output, capabilities, enabled)
   select 'maker-' || n % 20 || '/model-' || lpad(n::text, 6, '0'), 'maker-' || n % 20,
     case when n % 10 = 9 then 'embedding' else 'chat' end, 131072, 8192, '{tools,vision}', n % 50 <> 49
     from generate_series(0, $1::int - 1) n`,
  `insert into price (id, model_id, starts_at, units, vendor_units, note)
   select 'prc_' || v || '_' || id, id, now() - make_interval(days => 30 * v - 1),
     jsonb_build_object('input', '2500000000', 'cached_input', '1250000000', 'output', '10000000000'),
     jsonb_build_object('input', '2000000000', 'cached_input', '1000000000', 'output', '8000000000'), 'Version ' || v
     from model, generate_series(0, 4) v where id like 'maker-%'`,
  `insert into deployment (id, model_id, connection_id, upstream_model, priority)
   select 'dep_' || p || '_' || m.id, m.id, 'con_' || (m.n * 7 + p) % ${CONNECTIONS}, split_part(m.id, '/', 2), p
     from (select id, row_number() over (order by id) as n from model where id like 'maker-%') m, generate_series(0, 2) p`,
  `insert into process (id, beat_at, started_at, pid, host)
   select 'prs_bench_' || n, now() + interval '1 day', now(), 1, 'bench' from generate_series(0, 3) n`,
  `insert into deployment_health (deployment_id, process_id, state)
   select id, 'prs_bench_' || n, case when abs(hashtext(id)) % 40 = 0 then 'open' else 'closed' end
     from deployment, generate_series(0, 3) n where id like 'dep\\_%'`,
  `insert into model_group (id, name, description, multiplier_bp, open)
   select 'grp_' || n, 'Group ' || lpad(n::text, 3, '0'), 'Of the benchmark', 9000 + n * 50, n % 10 <> 5
     from generate_series(0, ${GROUPS - 1}) n`,
  `insert into group_model (group_id, model_id)
   select g.id, m.id from model_group g, model m where m.id like 'maker-%' and (g.id = 'grp_default' or abs(hashtext(g.id || m.id)) % 4 = 0)`,
]

/** Accounts with one person, one key and one purse each. Some are suspended, some use a group for named accounts. */
const PEOPLE = [
  `insert into account (id, name, created_at, suspended_at, suspended_reason)
   select 'acc_' || lpad(n::text, 7, '0'), 'Person ' || n, now() - make_interval(mins => ($1::int - n) * 5),
     case when n % 500 = 0 then now() end, case when n % 500 = 0 then 'Late with a payment' end
     from generate_series(1, $1::int) n`,
  `insert into app_user (id, email, name, role, account_id, created_at)
   select 'usr_' || id, 'person-' || ltrim(substr(id, 5), '0') || '@' || (array['example.com', 'example.org', 'mail.example'])[1 + abs(hashtext(id)) % 3],
     name, 'holder', id, created_at from account where id ~ '^acc_[0-9]'`,
  `insert into purse (id, kind, account_id) select id, 'account', id from account where id ~ '^acc_[0-9]'`,
  `insert into api_key (id, account_id, group_id, name, secret_hmac, hint, created_at, last_used_at)
   select 'key_' || id, id, case when abs(hashtext(id)) % 5 = 0 then 'grp_' || abs(hashtext(id)) % ${GROUPS} else 'grp_default' end,
     'First key', sha256(convert_to(id, 'UTF8')), 'sk-tg-…' || right(id, 4), created_at, now() from account where id ~ '^acc_[0-9]'`,
  `insert into group_account (group_id, account_id)
   select g.id, a.id from model_group g, account a
    where not g.open and a.id ~ '^acc_[0-9]' and abs(hashtext(g.id || a.id)) % 50 = 0`,
]

/** Log lines of two years of busy operators, most of them for prices. */
const AUDIT = `
  insert into audit_log (id, at, actor_id, actor, verb, target, target_id, before, after)
  select 'aud_' || to_char(t.at, 'YYYYMMDDHH24MISS') || lpad(n::text, 12, '0'), t.at, 'usr_owner', '${OWNER}', 'update',
    case when n % 1000 = 0 then 'group' when n % 10 = 0 then 'connection' else 'price' end,
    case when n % 1000 = 0 then 'grp_' || n % ${GROUPS} when n % 10 = 0 then 'con_' || n % ${CONNECTIONS} else 'prc_' || n end,
    jsonb_build_object('note', 'before ' || n), jsonb_build_object('note', 'after ' || n)
  from generate_series(1, $1::int) n, lateral (select now() - make_interval(secs => ($1::int - n) * 300) as at) t`

/** How often a model is used, less the later it is in the list. `how` sharpens the difference. */
const share = (how: string): string => `power(1 - (row_number() over (order by id) - 1)::float8 / count(*) over (), ${how})`

/**
 * Traffic of a span: $1 is its name, $2 how many of them there are up to now, $3 how often less used models are missing. 'all'
 * has as much in a day as in its hours. Otherwise upkeep would add up the days again.
 */
const TRAFFIC = `
  insert into traffic (span, grain, at, id, requests, vendor_errors, client_errors, attempts, attempt_failures, retries,
    input_tokens, output_tokens, charged_nano, vendor_cost_nano, firsts, answers, first_ms, took_ms, first_buckets, took_buckets)
  select $1::text, i.grain, t.at, i.id, n, n / 50, n / 40, n, n / 45, n / 60, n * 500, n * 250, n * 1000000, n * 800000, n, n,
    n * 300, n * 1500, h.buckets, h.buckets
  from generate_series(date_trunc($1::text, now(), 'UTC') - ($2::int - 1) * ('1 ' || $1::text)::interval, date_trunc($1::text, now(), 'UTC'),
                       ('1 ' || $1::text)::interval) t (at)
  cross join (
    select 'all' as grain, '' as id, 1 as often union all select 'connection', id, 1 from connection where id ~ '^con_[0-9]'
    union all select 'model', id, ${share('$3::float8')} from model where id like 'maker-%'
    union all select 'deployment', id, ${share('$3::float8')} from deployment where id like 'dep\\_0%') i
  cross join lateral (select case when i.grain <> 'all' then 20 + abs(hashtext(i.id || t.at)) % 100
                               when $1::text = 'day' then 2400000 when $1::text = 'hour' then 100000 else 1700 end::bigint as n) c
  cross join lateral (select array_agg((1 + n / 20) * 128 + b order by b) as buckets from generate_series(24, 43) b) h
  where abs(hashtext(t.at || i.id)) % 1000 < i.often * 1000`

/** The spans that are stored, their number, and how much rarer the rarer models are in them. */
const SPANS = [
  ['minute', 2880, 12],
  ['hour', 90 * 24, 3],
  ['day', 90, 0],
]

const CODES = `
  insert into redemption_code (id, code_hmac, hint, amount_nano, note, created_at, redeemed_at, redeemed_by)
  select 'code_' || lpad(n::text, 26, '0'), sha256(convert_to('code ' || n, 'UTF8')), 'ABCD', 10000000000, 'Meetup ' || n / 100,
    now(), case when n % 3 = 0 then now() end, case when n % 3 = 0 then 'acc_0000001' end from generate_series(1, 50000) n`

const chance = (seed: number): string => `((hashint8extended(n / ${IN_A_ROW}, ${seed}) & 2147483647) / 2147483648.0)`

/** Requests in order of time, several in a row for each account. Some accounts and models are used much more than others. */
const RECORDS = insertRecordsSql(`
  select n, account, 'key_' || account as key_id, 'maker-' || m % 20 || '/model-' || lpad(m::text, 6, '0') as model,
    (extract(epoch from now()) * 1000)::bigint - (($1 - n) * (${DAYS} * 86400000::float8 / $1))::bigint as ms
  from (select n, 'acc_' || lpad((1 + floor($2::int * ${chance(1)} ^ 3))::int::text, 7, '0') as account,
          floor($3::int * ${chance(2)} ^ 2)::int as m
          from generate_series(1::bigint, $1) n) chosen`)

/** Adds two people who can sign in: the owner, and the holder of the busy account. */
async function addPeople(client: pg.ClientBase): Promise<void> {
  const hash = await createPasswords().hash(PASSWORD)
  for (const [name, account, email, role] of [
    ['Owner', 'acc_owner', OWNER, 'owner'],
    ['Busy', BUSY_ACCOUNT, BUSY, 'holder'],
  ]) {
    await client.query('insert into account (id, name) values ($1, $2)', [account, name])
    await client.query(`insert into purse (id, kind, account_id) values ($1, 'account', $1)`, [account])
    await client.query(
      `insert into app_user (id, email, name, password_hash, role, account_id, email_verified_at) values ($1, $2, $3, $4, $5, $6, now())`,
      [`usr_${role}`, email, name, hash, role, account],
    )
  }
}

/** Runs `work` without the indexes of the usage records. Recreating them afterwards costs a third. */
async function withoutIndexes(client: pg.ClientBase, work: () => Promise<unknown>): Promise<void> {
  const { rows } = await client.query<{ name: string; made: string }>(
    `select indexname as name, replace(indexdef, ' ON ONLY ', ' ON ') as made from pg_indexes
      where tablename = 'usage_record' and indexname not like '%\\_pkey'`,
  )
  for (const { name } of rows) await client.query(`drop index ${name}`)
  await work()
  for (const { made } of rows) await client.query(made)
}

/** Fills an empty, migrated database. `say` is called with each step. */
export async function fillOperatorData(pool: pg.Pool, scale: OperatorScale, say: (line: string) => void): Promise<void> {
  const busy = Math.floor(scale.rows / 10)
  const steps: [string, (client: pg.ClientBase) => Promise<unknown>][] = [
    ['people who sign in', addPeople],
    ...CATALOG.map((text, at): [string, (client: pg.ClientBase) => Promise<unknown>] => [
      `catalog ${at + 1}`,
      (client) => client.query(text, text.includes('$1') ? [scale.models] : []),
    ]),
    ...PEOPLE.map((text, at): [string, (client: pg.ClientBase) => Promise<unknown>] => [
      `accounts ${at + 1}`,
      (client) => client.query(text, text.includes('$1') ? [scale.accounts] : []),
    ]),
    ['log', (client) => client.query(AUDIT, [AUDIT_LINES])],
    ['codes', (client) => client.query(CODES)],
    ...SPANS.map((span): [string, (client: pg.ClientBase) => Promise<unknown>] => [
      `traffic by the ${span[0]}`,
      (client) => client.query(TRAFFIC, span),
    ]),
    [
      'usage',
      (client) =>
        withoutIndexes(client, async () => {
          await writeUsage(client, BUSY_ACCOUNT, { rows: busy, models: 40, keys: 20, days: DAYS })
          await client.query(RECORDS, [scale.rows - busy, scale.accounts, scale.models])
        }),
    ],
    ['sums', (client) => rollUpUsage(client, null)],
  ]
  await fillInTransaction(pool, async (client) => {
    for (const [name, work] of steps) {
      const started = performance.now()
      await work(client)
      say(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`)
    }
  })
}
