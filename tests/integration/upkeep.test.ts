import { expect, it } from 'vitest'
import { upkeep } from '#lib/store/history-store'
import { sweepSessions } from '#lib/store/sign-in/sessions'
import { createDatabase } from '../support/database.ts'
import { addAccount } from '../support/fixtures.ts'
import { lockRows } from '../support/locks.ts'

it('looks for what accounts do not keep any more only among what is so old', async () => {
  await using database = await createDatabase()
  const { pool } = database
  const [usual, brief] = [await addAccount(pool, 0n), await addAccount(pool, 0n)]
  await pool.query('update account set history_days = 2 where id = $1', [brief])
  await pool.query("select make_partitions(now() - n * interval '1 day') from generate_series(0, 40) as n")
  await pool.query(
    `insert into history (request_id, at, account_id, body)
     select 'req_' || a || n, now() - n * interval '1 day', a, '{}' from unnest($1::text[]) as a, generate_series(0, 32) as n`,
    [[usual, brief]],
  )
  const read = async () => {
    await pool.query('select pg_stat_force_next_flush()')
    const { rows } = await pool.query<{ day: string; read: string }>(
      `select right(relname, 8) as day, seq_tup_read + coalesce(idx_tup_fetch, 0) as read from pg_stat_user_tables
        where relname ~ '^history_[0-9]+$' and relname >= 'history_' || to_char(now() at time zone 'UTC' - interval '1 day', 'YYYYMMDD')`,
    )
    return rows.reduce((sum, row) => sum + Number(row.read), 0)
  }
  const before = await read()
  await upkeep(pool)
  expect((await read()) - before).toBe(0)
  const kept = await pool.query('select account_id, count(*)::int as n from history group by 1')
  expect(new Map(kept.rows.map(({ account_id, n }) => [account_id, n]))).toEqual(
    new Map([
      [usual, 30],
      [brief, 2],
    ]),
  )
})

it('forgets sessions that are over, and from where they were, though their people never come back; who is busy with one keeps it', async () => {
  await using database = await createDatabase()
  const { pool } = database
  const account = await addAccount(pool, 0n)
  await pool.query(`insert into app_user (id, email, name, account_id) values ('usr_1', 'one@example.com', 'One', $1)`, [account])
  await pool.query(
    `insert into user_session (id, user_id, created_at, last_seen_at, expires_at, address, browser, system)
     select 'ses_' || name, 'usr_1', now() - interval '40 days', now(), now() + ends, '203.0.113.7', 'Firefox', 'Linux'
       from (values ('over', interval '-1 day'), ('locked', interval '-1 day'), ('open', interval '1 day')) as s (name, ends)`,
  )
  const lock = await lockRows(database.url, 'user_session where id = $1', ['ses_locked'])
  await upkeep(pool)
  const left = async () => (await pool.query('select id from user_session order by id')).rows.map(({ id }) => id)
  expect(await left()).toEqual(['ses_locked', 'ses_open'])
  await lock.release()
  await upkeep(pool)
  expect(await left()).toEqual(['ses_open'])
})

it('removes many sessions a few at a time: whoever signs in waits for those of theirs', async () => {
  await using database = await createDatabase()
  const { pool } = database
  const account = await addAccount(pool, 0n)
  await pool.query(`insert into app_user (id, email, name, account_id) values ('usr_1', 'one@example.com', 'One', $1)`, [account])
  await pool.query(
    `insert into user_session (id, user_id, created_at, last_seen_at, expires_at, address, browser, system)
     select 'ses_' || n, 'usr_1', now(), now(), now() - interval '1 day', '203.0.113.7', 'Firefox', 'Linux'
       from generate_series(1, 2001) as n`,
  )
  const removed: (number | null)[] = []
  const query = async (text: string) => {
    const done = await pool.query(text)
    removed.push(done.rowCount)
    return done
  }
  await sweepSessions({ query } as unknown as Parameters<typeof sweepSessions>[0])
  expect(removed).toEqual([1000, 1000, 1])
  expect((await pool.query('select from user_session')).rowCount).toBe(0)
})
