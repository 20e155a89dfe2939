import type pg from 'pg'

/** How much usage an account gets. */
export interface UsageVolume {
  rows: number
  models: number
  keys: number
  days: number
}

/** A year of an account with many models and keys. It has nearly as many hour rows as requests, the worst case for sums. */
export const YEAR_OF_USAGE: UsageVolume = { rows: 1_000_000, models: 40, keys: 20, days: 365 }

const MODALITIES = ['chat', 'embedding', 'image', 'speech', 'transcription']
/** Creates the partitions for the months of the filling. */
const MAKE_MONTHS = `
  select make_partition('usage_record', 'usage_record_' || to_char(m, 'YYYYMM'), m, interval '1 month')
  from generate_series(date_trunc('month', now() at time zone 'UTC') - make_interval(days => $1),
                       date_trunc('month', now() at time zone 'UTC'), interval '1 month') g (day),
       lateral (select date_trunc('month', g.day) as m) months`

// The ten time digits of an id, as lib/domain/ids.ts writes them. The rest is hexadecimal, whose digits are a subset.
const TIME_DIGITS = Array.from(
  { length: 10 },
  (_, place) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> ${5 * (9 - place)}) & 31)::int + 1, 1)`,
).join(' || ')

/**
 * Writes usage records from rows with n, account, key_id, model, ms and charged. Every thirtieth request failed and cost nothing.
 * All other charges are odd numbers, so that none can be confused with one of the benchmark's own.
 */
export const insertRecordsSql = (made: string): string => `
  insert into usage_record (id, at, account_id, key_id, group_id, model_id, endpoint, stream, status, outcome, error_code,
    finish_reason, input_units, cached_units, output_units, reasoning_units, hold_nano, charged_nano, shortfall_nano,
    vendor_cost_nano, estimated, receipt, trace, own_ms, first_token_ms, took_ms)
  select 'req_' || ${TIME_DIGITS} || left(md5(n::text), 16), to_timestamp(ms / 1000.0), account,
    key_id, 'grp_default', model, 'chat.completions', n % 3 = 0,
    case when failed then 503 else 200 end, case when failed then 'vendor_failed' else 'finished' end,
    case when failed then 'service_unavailable' end, case when failed then null else 'stop' end,
    100 + n % 900, n % 100, 50 + n % 400, 0, charged, charged, 0, charged, false,
    jsonb_build_object('priceId', null, 'multiplierBp', 10000, 'lines', jsonb_build_array(jsonb_build_object('unit', 'request',
      'count', '1', 'priceNano', (charged * 1000000)::text, 'amountNano', charged::text)), 'totalNano', charged::text, 'exact', true), '[]',
    0.4, case when failed then null else 100 + n % 700 end, 400 + n % 3000
  from (select made.*, n % 30 = 0 as failed,
          case when n % 30 = 0 then 0 else (1 + (n * 7919) % 5000000) / 2 * 2 + 1 end::bigint as charged
          from (${made}) made) made`

/** The requests of one account, spread evenly over the days. */
const RECORDS = insertRecordsSql(`
  select n, $1::text as account, $1 || '_key_' || floor(random() * $4)::int as key_id,
    'filled/model-' || floor(random() * $3)::int as model,
    (extract(epoch from now()) * 1000)::bigint - (($2 - n) * ($5 * 86400000::float8 / $2))::bigint as ms
  from generate_series(1::bigint, $2) n`)

const HOURS = `
  insert into usage_hour (account_id, hour, key_id, model_id, requests, errors, input_units, cached_units,
    output_units, charged_nano, shortfall_nano, vendor_cost_nano, first_token_ms, first_tokens, took_ms, own_ms)
  select account_id, date_trunc('hour', at, 'UTC'), key_id, model_id, count(*), count(*) filter (where status >= 400),
    sum(input_units), sum(cached_units), sum(output_units), sum(charged_nano), sum(shortfall_nano), sum(vendor_cost_nano),
    coalesce(sum(first_token_ms), 0), count(first_token_ms), sum(took_ms), sum(own_ms)
  from usage_record where $1::text is null or account_id = $1 group by 1, 2, 3, 4 order by 2`

/** Grants the money that was spent plus fifty dollars, for one account or for all. */
const MONEY = `
  with spent as (select id, coalesce((select sum(charged_nano) from usage_hour where account_id = account.id), 0) as nano
                   from account where $1::text is null or id = $1),
  granted as (insert into entry (id, account_id, kind, amount_nano, reason, actor)
              select 'ent_filled_' || id, id, 'grant', nano + 50000000000, 'filling', 'bench' from spent)
  update purse set credit = credit + spent.nano + 50000000000, spent = purse.spent + spent.nano from spent where purse.id = spent.id`

/** Adds up the usage of an account, or of all accounts if it is null, and balances the books. They must not have hours yet. */
export async function rollUpUsage(client: pg.ClientBase, accountId: string | null): Promise<void> {
  // Otherwise the trigger would do this row by row.
  await client.query('alter table usage_hour disable trigger usage_hour_late')
  await client.query(HOURS, [accountId])
  await client.query('alter table usage_hour enable trigger usage_hour_late')
  // Everything is added up again, so that nothing is left out.
  await client.query('truncate usage_day, usage_month')
  await client.query("update usage_rolled set day = '2000-01-01Z', month = '2000-01-01Z'")
  await client.query("select roll_usage(now() - interval '2 days')")
  await client.query(MONEY, [accountId])
}

/** Writes usage records of an account, with its keys and models: everything that `rollUpUsage` adds up. */
export async function writeUsage(client: pg.ClientBase, accountId: string, filling: UsageVolume): Promise<void> {
  const { rows, models, keys, days } = filling
  await client.query(MAKE_MONTHS, [days])
  await client.query(
    `insert into model (id, owned_by, modality, context_window, max_output)
     select 'filled/model-' || n, 'bench', ($2::text[])[1 + n % cardinality($2::text[])], 8192, 1024
     from generate_series(0, $1 - 1) n on conflict do nothing`,
    [models, MODALITIES],
  )
  await client.query(
    `insert into api_key (id, account_id, group_id, name, secret_hmac, hint, last_used_at)
     select $1 || '_key_' || n, $1, 'grp_default', 'Key ' || n, sha256(convert_to($1 || n, 'UTF8')), 'sk-tg-…' || n, now()
     from generate_series(0, $2 - 1) n`,
    [accountId, keys],
  )
  await client.query('select setseed(0.5)')
  await client.query(RECORDS, [accountId, rows, models, keys, days])
}

/** Runs `work` in a transaction on one connection, then reads what was written as upkeep would. */
export async function fillInTransaction(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<void>): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await work(client)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
  await pool.query('vacuum analyze')
}

/**
 * Gives an account the usage of a year, with its keys, models, hours, days and months, in books that balance. Takes half a minute
 * for a million rows. The account must not have any usage before.
 */
export const fillUsage = (pool: pg.Pool, accountId: string, usage: UsageVolume = YEAR_OF_USAGE): Promise<void> =>
  fillInTransaction(pool, async (client) => {
    await writeUsage(client, accountId, usage)
    await rollUpUsage(client, accountId)
  })
