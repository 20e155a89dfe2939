import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { closeAccount } from '#lib/services/account/close-account'
import { clearHistory } from '#lib/services/history/clear-history'
import type { SignedIn } from '#lib/services/ports'
import { filesOf } from '#lib/store/console/histories'
import { upkeep, writeHistory } from '#lib/store/history-store'
import { lockPurse, lockRows } from '../support/locks.ts'
import { openWorld, PASSWORD, type World } from './console-world.ts'

let world: World
let user: SignedIn
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.newUser()
  world.removed.length = 0
})

/** Images that were made, one by each request, some of them at the same moment; answers their addresses. */
async function makeImages(count: number, at: Date): Promise<string[]> {
  const addresses: string[] = []
  for (let n = 0; n < count; n++) {
    const began = new Date(at.getTime() + (n >> 1))
    const requestId = await world.settle(user, { at: began, endpoint: 'images.generations' })
    const url = `https://gateway.test/files/${requestId}`
    const json = JSON.stringify({ request: { prompt: 'a cat' }, answer: { data: [{ url }] } })
    await writeHistory(world.pool, [{ requestId, at: began, accountId: user.accountId, json }])
    addresses.push(url)
  }
  return addresses.sort()
}

it('what was said is read a few requests at a time, and every file is found', async () => {
  const made = await makeImages(401, new Date(Date.now() - 60_000))
  let most = 0
  const query = async (text: string, values: unknown[]) => {
    const found = await world.pool.query(text, values)
    most = Math.max(most, found.rows.length)
    return found
  }
  const all = { since: new Date(0), until: new Date() }
  const found = await filesOf({ query } as unknown as Parameters<typeof filesOf>[0], user.accountId, all)
  expect(found.sort()).toEqual(made)
  expect(most).toBeLessThan(made.length)
})

it('clearing the history removes what was made before, however long ago, and nothing that is made since', async () => {
  const old = await makeImages(2, new Date(Date.now() - 200 * 86_400_000))
  await makeImages(1, new Date(Date.now() + 60_000))
  await clearHistory({ ctx: world.as(user), input: {} } as Parameters<typeof clearHistory>[0])
  expect([...world.removed].sort()).toEqual(old)
})

it('an account that is closed is not locked while its files are looked for: charges of others would wait for it', async () => {
  const made = await makeImages(3, new Date(Date.now() - 60_000))
  const lock = await lockPurse(world.url, user.accountId)
  const closing = closeAccount({
    ctx: world.as(user),
    input: { email: user.email, password: PASSWORD, forfeitNano: null },
  })
  await lock.waitedBy(1)
  // They are known by now: nothing is read any more.
  await world.pool.query('delete from history where account_id = $1', [user.accountId])
  await lock.release()
  await closing
  expect([...world.removed].sort()).toEqual(made)
})

it('nor while what was said is deleted, which upkeep does where the process dies over it', async () => {
  const { accountId } = user
  await makeImages(3, new Date(Date.now() - 60_000))
  const lock = await lockRows(world.url, 'history where account_id = $1', [accountId])
  const input = { email: user.email, password: PASSWORD, forfeitNano: null }
  const closing = closeAccount({ ctx: world.as(user), input })
  await lock.waitedBy(1)
  await world.pool.query('select from purse where id = $1 for update nowait', [accountId])
  const { rows } = await world.pool.query('select closed_at is not null as closed from account where id = $1', [accountId])
  expect(rows).toEqual([{ closed: true }])
  await lock.release()
  await closing
  const left = async () => (await world.pool.query('select from history where account_id = $1', [accountId])).rowCount
  expect(await left()).toBe(0)
  await world.pool.query(`insert into history (request_id, at, account_id, body) values ('req_left', now(), $1, '{}')`, [
    accountId,
  ])
  await upkeep(world.pool)
  expect(await left()).toBe(0)
})
