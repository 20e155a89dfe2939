import { expect, test } from 'vitest'
import { migrate } from '#lib/store/migrate'
import { openPool } from '#lib/store/open-pool'
import { createPrisma } from '#lib/store/prisma'
import { createDatabase, type TestDatabaseOptions } from '../support/database.ts'
import { addAccount, addKey } from '../support/fixtures.ts'
import { startGateway } from '../support/gateway.ts'

/** A database with the time zone of its machine, which writes dates as people there do and has a schema of another program. */
async function createLocalDatabase(options: TestDatabaseOptions = {}) {
  const database = await createDatabase(options)
  await database.pool.query(`ALTER DATABASE ${database.name} SET TimeZone = 'America/New_York'`)
  await database.pool.query(`ALTER DATABASE ${database.name} SET DateStyle = 'German'`)
  await database.pool.query('CREATE SCHEMA other')
  await database.pool.query(`ALTER DATABASE ${database.name} SET search_path = 'other'`)
  return database
}

test('times are the same, whichever way they are written and read, in a database with another time zone', async () => {
  await using database = await createLocalDatabase()
  const expiresAt = new Date('2026-12-01T12:00:00.000Z')
  const pool = openPool({ connectionString: database.url, max: 2 })
  const prisma = createPrisma(pool)
  try {
    const { keyId: id } = await addKey(pool, await addAccount(pool, 0n), { expiresAt })
    const readRaw = async () => (await pool.query('SELECT expires_at FROM api_key WHERE id = $1', [id])).rows[0].expires_at
    expect(await readRaw()).toEqual(expiresAt)
    expect(await prisma.apiKey.findFirst({ where: { id }, select: { expiresAt: true } })).toEqual({ expiresAt })
    expect(await prisma.apiKey.count({ where: { id, expiresAt: { gt: new Date(expiresAt.getTime() - 1) } } })).toBe(1)
    expect(await prisma.apiKey.count({ where: { id, expiresAt: { gt: expiresAt } } })).toBe(0)
    await prisma.apiKey.update({ where: { id }, data: { expiresAt } })
    expect(await readRaw()).toEqual(expiresAt)
  } finally {
    await pool.end()
  }
})

test('a start knows what an earlier one has migrated, however the database writes dates, and makes tables where all look', async () => {
  await using database = await createLocalDatabase({ empty: true })
  expect((await migrate({ url: database.url })).length).toBeGreaterThan(0)
  expect(await migrate({ url: database.url })).toEqual([])
  await using gateway = await startGateway({ databaseUrl: database.url })
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/chat', messages: [{ role: 'user', content: 'Hello' }] }),
  })
  expect(answer.status).toBe(200)
  const { rows } = await database.pool.query('SELECT DISTINCT schemaname FROM pg_tables WHERE schemaname IN ($1, $2)', [
    'public',
    'other',
  ])
  expect(rows).toEqual([{ schemaname: 'public' }])
})
