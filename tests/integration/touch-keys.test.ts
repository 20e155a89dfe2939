import { expect, it } from 'vitest'
import { touchKeys } from '#lib/store/key-store'
import { createDatabase } from '../support/database.ts'
import { addAccount, addKey } from '../support/fixtures.ts'
import { lockRows } from '../support/locks.ts'

it('processes that note the last use of the same keys at once wait for each other, and never in a circle', async () => {
  await using database = await createDatabase()
  const { pool, url } = database
  const accountId = await addAccount(pool, 0n)
  for (const id of ['key_1', 'key_2', 'key_3']) await addKey(pool, accountId, { id })
  // So many keys that the planner looks them up one by one, in the order in which they are named.
  await pool.query(
    `INSERT INTO api_key (id, account_id, group_id, name, secret_hmac, hint)
     SELECT 'key_more_' || n, $1, 'grp_default', '', sha256(n::text::bytea), '' FROM generate_series(1, 5000) AS n`,
    [accountId],
  )
  await pool.query('ANALYZE api_key')
  const at = new Date()
  const lock = await lockRows(url, 'api_key WHERE id = $1', ['key_2'])
  const [one, other] = [
    touchKeys(pool, ['key_1', 'key_2', 'key_3'], [at, at, at]),
    touchKeys(pool, ['key_3', 'key_2', 'key_1'], [at, at, at]),
  ]
  const noted = Promise.allSettled([one, other])
  await lock.waitUntilBlockedCount(2)
  await lock.release()
  expect((await noted).map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  const { rows } = await pool.query('SELECT last_used_at FROM api_key WHERE last_used_at IS NOT NULL')
  expect(rows.map((row) => row.last_used_at)).toEqual([at, at, at])
})
