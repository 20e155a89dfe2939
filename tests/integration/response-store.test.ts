import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StoredResponse } from '#lib/domain/stored-response'
import { findResponse, findResponseChain, removeResponse, saveResponse, sweepResponses } from '#lib/store/response-store'
import { createDatabase, type TestDatabase } from '../support/database.ts'

let database: TestDatabase
let responseCount = 0

beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())

const item = (previousId: string | null, more: Partial<StoredResponse> = {}): StoredResponse => ({
  id: `resp_${String(responseCount++).padStart(26, '0')}`,
  accountId: 'acc_1',
  previousId,
  at: new Date(1_700_000_000_000),
  response: { status: 'completed', output: [{ text: 'Grüße, 世界 \u0000' }] },
  input: [{ role: 'user', content: 'x' }],
  ...more,
})

/** A conversation of this many responses, oldest first. */
async function conversation(length: number, more: Partial<StoredResponse> = {}): Promise<StoredResponse[]> {
  const items: StoredResponse[] = []
  for (let index = 0; index < length; index++) {
    const next = item(items.at(-1)?.id ?? null, more)
    await saveResponse(database.pool, next, 30)
    items.push(next)
  }
  return items
}

const idOf = (items: readonly StoredResponse[], index: number): string => items.at(index)?.id ?? ''
const chainOf = (id: string, accountId = 'acc_1') => findResponseChain(database.pool, accountId, id)
const expire = (ids: readonly string[]) =>
  database.pool.query(`UPDATE stored_response SET expires_at = now() - interval '1 s' WHERE id = ANY($1)`, [ids])

test('what is kept is found as it was, by its account alone, once', async () => {
  for (const text of ['short', 'long '.repeat(30_000)]) {
    const [kept] = await conversation(1, { response: { output: [text] } })
    if (!kept) throw new Error('nothing was kept')
    await saveResponse(database.pool, { ...kept, response: { other: true } }, 30)
    expect(await findResponse(database.pool, 'acc_1', kept.id)).toEqual({ ...kept, paid: null })
    expect(await findResponse(database.pool, 'acc_2', kept.id)).toBeNull()
    expect(await removeResponse(database.pool, 'acc_2', kept.id)).toBe(false)
    expect(await removeResponse(database.pool, 'acc_1', kept.id)).toBe(true)
    expect(await removeResponse(database.pool, 'acc_1', kept.id)).toBe(false)
  }
})

test('a conversation comes oldest first, up to the response that is asked for', async () => {
  const items = await conversation(5)
  const chain = await chainOf(idOf(items, 3))
  if (typeof chain === 'string') throw new Error(chain)
  expect(chain.responses).toEqual(items.slice(0, 4))
  expect(chain.bytes).toBeGreaterThan(4 * 50)
  expect(await chainOf(idOf(items, 3), 'acc_2')).toBe('unknown')
  expect(await chainOf('resp_none')).toBe('unknown')
})

test('a conversation that has lost a part is broken, and one that is too large says so', async () => {
  const items = await conversation(3)
  await removeResponse(database.pool, 'acc_1', idOf(items, 1))
  expect(await chainOf(idOf(items, 2))).toBe('broken')
  expect(await chainOf(idOf(items, 0))).toMatchObject({ responses: [{ id: idOf(items, 0) }] })
  const large = await conversation(5, { input: ['x'.repeat(4 * 1024 * 1024)] })
  expect(await chainOf(idOf(large, 2))).toMatchObject({ responses: { length: 3 } })
  expect(await chainOf(idOf(large, 4))).toBe('too_large')
})

test('a conversation does not reach into another account, whatever it says that it continues', async () => {
  const [theirs] = await conversation(1, { accountId: 'acc_2' })
  const [mine] = await conversation(1, { previousId: theirs?.id ?? null })
  expect(await chainOf(mine?.id ?? '')).toBe('broken')
})

test('the sweep takes what has expired, but nothing that is still continued', async () => {
  const expiredItems = await conversation(4)
  const kept = await conversation(3)
  await expire([...expiredItems, ...kept.slice(0, 2)].map(({ id }) => id))
  await sweepResponses(database.pool)
  const { rows } = await database.pool.query<{ id: string }>('SELECT id FROM stored_response WHERE id = ANY($1) ORDER BY id', [
    [...expiredItems, ...kept].map(({ id }) => id),
  ])
  expect(rows.map(({ id }) => id)).toEqual(kept.map(({ id }) => id))
  expect(await chainOf(idOf(kept, 2))).toMatchObject({ responses: { length: 3 } })
  expect(await chainOf(idOf(kept, 1))).toBe('unknown')
})
