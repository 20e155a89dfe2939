import pg from 'pg'
import { createOperatorAccounts } from '#lib/store/operator-accounts'
import { listAccounts } from '#lib/services/operator/list-accounts'
import { startEmbedded } from '#lib/store/embedded/embedded'
import { migrate } from '#lib/store/migrate'

const server = await startEmbedded({ dataDir: '/tmp/accbench/pg' })
console.log(server.url)
await migrate({ url: server.url })
const pool = new pg.Pool({ connectionString: server.url, max: 4 })
const n = Number((await pool.query('select count(*) n from account')).rows[0].n)
if (n < 100000) {
  const t = performance.now()
  await pool.query(`insert into model_group (id, name, is_default) values ('grp_default','d',true) on conflict do nothing`)
  await pool.query(`insert into account (id, name, created_at, suspended_at, closed_at)
    select 'acc_01ka' || lpad(n::text, 22, '0'), (array['Ann','Bob','Account','Will','Zed'])[1 + n % 5] || ' ' || md5(n::text), now() - make_interval(mins => 100000 - n),
      case when n % 500 < 2 then now() end, case when n % 500 = 0 then now() end from generate_series(1, 100000) n`)
  await pool.query(`insert into app_user (id, account_id, email, name, role, password_hash, created_at)
    select 'usr_' || n, 'acc_01ka' || lpad(n::text, 22, '0'), (array['ann','bob','account','will','zed'])[1 + n % 5] || n || '@example.com', 'Person ' || n, case when n % 20000 = 0 then 'owner' else 'holder' end, '', now() from generate_series(1, 100000) n`)
  await pool.query(`insert into purse (id, kind, account_id, credit) select id, 'account', id, 1000000000 from account`)
  await pool.query(`insert into api_key (id, account_id, group_id, name, secret_hmac, hint)
    select 'key_' || n, 'acc_01ka' || lpad((n % 100000 + 1)::text, 22, '0'), 'grp_default', 'k', sha256(convert_to(n::text,'UTF8')), 'sk-tg-…' || right(md5(n::text), 4) from generate_series(1, 200000) n`)
  await pool.query('alter table usage_hour disable trigger usage_hour_late')
  await pool.query(`insert into usage_hour (account_id, hour, key_id, model_id, requests, errors, input_units, cached_units, output_units, charged_nano, shortfall_nano, vendor_cost_nano, first_token_ms, first_tokens, took_ms, own_ms)
    select 'acc_01ka' || lpad((n % 100000 + 1)::text, 22, '0'), date_trunc('hour', now() - make_interval(hours => (n / 100000 * 17)::int), 'UTC'), 'key_' || n % 100000, 'm' || n % 7, 1,0,1,1,1,1000,0,1,1,1,1,1
    from generate_series(1::bigint, 3000000) n`)
  await pool.query('alter table usage_hour enable trigger usage_hour_late')
  await pool.query(`select roll_usage(now() - interval '2 days')`)
  await pool.query('vacuum analyze')
  console.log('filled', performance.now() - t)
}
const operatorAccounts = createOperatorAccounts(pool)
const ctx = { operatorAccounts, clock: { now: () => new Date() }, user: {} } as never
const first = await listAccounts({ ctx, input: { limit: 50 } })
const s50 = await listAccounts({ ctx, input: { limit: 50, search: 'a' } })
const cases: Record<string, object> = {
  first: {}, deep: { before: '-~acc_01ka' + '50000'.padStart(22, '0') + '~' }, suspended: { state: 'suspended' }, closed: { state: 'closed' }, active: { state: 'active' },
  owners: { role: 'owner' }, holders: { role: 'holder' }, 'holders suspended': { role: 'holder', state: 'suspended' }, 'owner closed': { role: 'owner', state: 'closed' },
  'search a': { search: 'a' }, 'search a next': { search: 'a', before: s50.next }, 'search ann5': { search: 'ann5' }, 'search account': { search: 'account' }, 'search person': { search: 'person' },
  'search person deep': { search: 'person', before: '4~acc_01ka' + '50000'.padStart(22, '0') + '~person 5' },
  'search none': { search: 'qqqq' }, 'search id': { search: first.rows[3]?.id }, 'search key': { search: 'key_777' }, 'search a closed': { search: 'a', state: 'closed' }, 'search a owner': { search: 'a', role: 'owner' },
  'search zed suspended': { search: 'zed', state: 'suspended' }, 'search p holder': { search: 'p', role: 'holder' }, 'search person closed': { search: 'person', state: 'closed' },
}
for (const [name, input] of Object.entries(cases)) {
  const took: number[] = []
  let rows = 0
  for (let i = 0; i < 12; i++) {
    const t = performance.now()
    rows = (await listAccounts({ ctx, input: { limit: 50, ...input } as never })).rows.length
    took.push(performance.now() - t)
  }
  took.sort((a, b) => a - b)
  console.log(name.padEnd(24), String(rows).padStart(3), 'median', took[6]!.toFixed(1), 'most', took.at(-1)!.toFixed(1))
}
await pool.end()
await server.stop()
