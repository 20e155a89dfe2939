import pg from 'pg'
import { expect, test } from 'vitest'
import { createDatabase } from '../support/database.ts'
import { startServer } from '../support/server.ts'

test('a server of a test comes back after a kill with what was committed, at the same address', async () => {
  const server = await startServer()
  const pool = new pg.Pool({ connectionString: server.url })
  pool.on('error', () => {})
  try {
    const url = server.url
    await pool.query('CREATE TABLE kept (x int)')
    await pool.query('INSERT INTO kept VALUES (1)')
    await server.kill()
    await expect(pool.query('SELECT 1')).rejects.toThrow()
    await server.restart()
    expect(server.url).toBe(url)
    expect((await pool.query('SELECT x FROM kept')).rows).toEqual([{ x: 1 }])
  } finally {
    await pool.end()
    await server.stop()
  }
})

test('databases of tests are migrated, apart, and gone when they are dropped', async () => {
  const one = await createDatabase()
  await using two = await createDatabase()
  const sql = "INSERT INTO account (id, name) VALUES ('acc_1', 'One')"
  await one.pool.query(sql)
  await two.pool.query(sql)
  await one.drop()
  const { rows } = await two.pool.query<{ datname: string }>('SELECT datname FROM pg_database')
  expect(rows.map((row) => row.datname)).toContain(two.name)
  expect(rows.map((row) => row.datname)).not.toContain(one.name)
})
