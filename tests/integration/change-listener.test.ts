/** What processes hear of changes by others, however late the transaction is committed. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { ChangeListener } from '#lib/store/change-listener'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let receivedRefs: string[]
let listener: ChangeListener
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.pool.query('delete from change')
  receivedRefs = []
  listener = new ChangeListener({
    url: database.url,
    pool: database.pool,
    warn: () => undefined,
    handlers: { onRecall: () => undefined, onReturned: () => undefined, onChange: (_topic, ref) => receivedRefs.push(ref) },
  })
})
afterEach(() => listener.stop())

/** Writes a change with a time this many minutes ago. */
const INSERT_CHANGE_SQL = `insert into change (at, topic, ref) values (clock_timestamp() - make_interval(mins => $1), 'key', $2)`
/** Writes a change and waits until it is heard. By then everything before it has been looked for. */
async function writeAndAwaitChange(mark: string): Promise<void> {
  await database.pool.query(INSERT_CHANGE_SQL, [0, mark])
  await expect.poll(() => receivedRefs).toContain(mark)
}

it('a change that is committed minutes after it was written is heard, once', async () => {
  await listener.start()
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query(INSERT_CHANGE_SQL, [5, 'late'])
    // Other changes with higher numbers come and go meanwhile.
    await writeAndAwaitChange('one')
    await writeAndAwaitChange('two')
    expect(receivedRefs).toEqual(['one', 'two'])
    await client.query('commit')
  } finally {
    client.release()
  }
  await expect.poll(() => receivedRefs).toContain('late')
  await writeAndAwaitChange('three')
  await writeAndAwaitChange('four')
  expect(receivedRefs).toEqual(['one', 'two', 'late', 'three', 'four'])
})

it('several transactions under way at once are each heard when they end, and what is rolled back is not', async () => {
  await listener.start()
  const clients = await Promise.all(Array.from({ length: 3 }, () => database.pool.connect()))
  try {
    for (const [place, client] of clients.entries()) {
      await client.query('begin')
      await client.query(INSERT_CHANGE_SQL, [10 - place, `late ${place}`])
    }
    await writeAndAwaitChange('one')
    for (const [place, verb] of [
      [2, 'commit'],
      [1, 'rollback'],
      [0, 'commit'],
    ] as const) {
      await clients[place]?.query(verb)
      await writeAndAwaitChange(`after ${place}`)
    }
  } finally {
    for (const client of clients) client.release()
  }
  expect(receivedRefs).toEqual(['one', 'late 2', 'after 2', 'after 1', 'late 0', 'after 0'])
})

it('who starts hears of what was written before and may have been committed only now', async () => {
  await database.pool.query(INSERT_CHANGE_SQL, [50, 'long ago'])
  await listener.start()
  expect(receivedRefs).toEqual(['long ago'])
  await writeAndAwaitChange('then')
  expect(receivedRefs).toEqual(['long ago', 'then'])
})

it('a change has the time at which it was written, not that at which its transaction began', async () => {
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query('select pg_sleep(0.05)')
    const { rows } = await client.query(
      `insert into change (topic, ref) values ('key', 'x') returning extract(epoch from at - now())::float8 as later`,
    )
    expect(rows[0].later).toBeGreaterThan(0.04)
  } finally {
    await client.query('rollback')
    client.release()
  }
})
