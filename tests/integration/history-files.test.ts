import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { closeAccount } from '#lib/services/account/close-account'
import { eraseClosedAccounts } from '#lib/services/account/erase-closed-accounts'
import { clearHistory } from '#lib/services/history/clear-history'
import type { SignedInUser } from '#lib/services/ports'
import { findFiles } from '#lib/store/console/histories'
import { writeHistory } from '#lib/store/history-store'
import { lockRows } from '../support/locks.ts'
import { type ConsoleWorld, openConsoleWorld, PASSWORD } from './console-world.ts'

let world: ConsoleWorld
let user: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.newUser()
  world.removedUrls.length = 0
})

/** Makes images, one with each request, some of them at the same moment. Returns their addresses. */
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
  const imageUrls = await makeImages(401, new Date(Date.now() - 60_000))
  let maxRows = 0
  const query = async (text: string, values: unknown[]) => {
    const found = await world.pool.query(text, values)
    maxRows = Math.max(maxRows, found.rows.length)
    return found
  }
  const all = { since: new Date(0), until: new Date() }
  const found = await findFiles({ query } as unknown as Parameters<typeof findFiles>[0], user.accountId, all)
  expect(found.sort()).toEqual(imageUrls)
  expect(maxRows).toBeLessThan(imageUrls.length)
})

it('clearing the history removes what was made before, however long ago, and nothing that is made since', async () => {
  const old = await makeImages(2, new Date(Date.now() - 200 * 86_400_000))
  await makeImages(1, new Date(Date.now() + 60_000))
  await clearHistory({ ctx: world.as(user), input: {} } as Parameters<typeof clearHistory>[0])
  expect([...world.removedUrls].sort()).toEqual(old)
})

const input = () => ({ email: user.email, password: PASSWORD, forfeitNano: null })
const countRemainingRows = async () => {
  const { rows } = await world.pool.query(
    `select (select count(*)::int from history where account_id = $1) as history,
            (select count(*)::int from task where account_id = $1) as tasks`,
    [user.accountId],
  )
  return rows[0]
}

/** Makes a video whose address only its task has. */
async function makeVideo(): Promise<string> {
  const id = await world.settle(user, { at: new Date(), endpoint: 'videos.generations' })
  const url = `https://gateway.test/files/${id}.mp4`
  await world.pool.query(
    `insert into task (id, request_id, account_id, key_id, group_id, model_id, endpoint, state, seconds, pin, hold_nano,
       keep_history, own_ms, due_at, url, created_at, finished_at, expires_at)
     values ($1, $1, $2, 'key_none', 'grp_main', 'small', 'videos.generations', 'completed', 5, '{}', 0,
       true, 1, now(), $3, now(), now(), now())`,
    [id, user.accountId, url],
  )
  return url
}

it('an account that is closed is not locked while what was said is deleted: charges of others would wait for it', async () => {
  const { accountId } = user
  const imageUrls = await makeImages(3, new Date(Date.now() - 60_000))
  const lock = await lockRows(world.url, 'history where account_id = $1', [accountId])
  const closing = closeAccount({ ctx: world.as(user), input: input() })
  await lock.waitUntilBlockedCount(1)
  await world.pool.query('select from purse where id = $1 for update nowait', [accountId])
  const { rows } = await world.pool.query('select closed_at is not null as closed from account where id = $1', [accountId])
  expect(rows).toEqual([{ closed: true }])
  await lock.release()
  await closing
  expect([...world.removedUrls].sort()).toEqual(imageUrls)
  expect(await countRemainingRows()).toEqual({ history: 0, tasks: 0 })
})

it('what a closed account said is deleted later where its process died over it: files first, and then what names them', async () => {
  const all = [...(await makeImages(401, new Date(Date.now() - 60_000))), await makeVideo()].sort()
  const ctx = world.as(user)
  const killed = { remove: () => Promise.reject(new Error('killed')) }
  await closeAccount({ ctx: { ...ctx, media: killed }, input: input() })
  expect(await countRemainingRows()).toEqual({ history: 401, tasks: 1 })
  // If a store does not answer, the names of its files are kept, and deleting is tried again.
  const unresponsiveMedia = { remove: async (addresses: string[]) => addresses.length }
  await eraseClosedAccounts({ ctx: { ...ctx, media: unresponsiveMedia } })
  expect(await countRemainingRows()).toEqual({ history: 401, tasks: 1 })
  // The next run dies in the middle.
  let pages = 0
  const crashingMedia = {
    remove: (addresses: string[]) => (++pages > 1 ? Promise.reject(new Error('killed')) : ctx.media.remove(addresses)),
  }
  await expect(eraseClosedAccounts({ ctx: { ...ctx, media: crashingMedia } })).rejects.toThrow('killed')
  expect((await countRemainingRows()).history).toBeLessThan(401)
  await eraseClosedAccounts({ ctx })
  expect([...world.removedUrls].sort()).toEqual(all)
  expect(await countRemainingRows()).toEqual({ history: 0, tasks: 0 })
})

it('videos of a closed account are deleted a few at a time as well, and upkeep goes on where it takes too long', async () => {
  await closeAccount({ ctx: world.as(user), input: input() })
  await world.pool.query(
    `insert into task (id, request_id, account_id, key_id, group_id, model_id, endpoint, state, seconds, pin, hold_nano,
       keep_history, own_ms, due_at, url, created_at, finished_at, expires_at)
     select 'task_many_' || n, 'req_many_' || n, $1, 'key_none', 'grp_main', 'small', 'videos.generations', 'completed', 5, '{}', 0,
       true, 1, now(), 'https://gateway.test/files/' || n, now(), now(), now() from generate_series(1, 201) n`,
    [user.accountId],
  )
  const { closings, media } = world.console.ports
  const untilMs = performance.now() + 3_600_000
  const slow = async () => {
    vi.spyOn(performance, 'now').mockReturnValue(untilMs + 1)
    return 0
  }
  try {
    await closings.eraseContent(user.accountId, slow, untilMs)
  } finally {
    vi.restoreAllMocks()
  }
  expect((await countRemainingRows()).tasks).toBe(1)
  await eraseClosedAccounts({ ctx: { closings, media } })
  expect((await countRemainingRows()).tasks).toBe(0)
})

it('what was on its way to the disk when an account was closed is deleted as well, and then nothing is looked for any more', async () => {
  const ctx = world.as(user)
  await closeAccount({ ctx, input: input() })
  await makeImages(1, new Date())
  // Written earlier but committed since: what comes later is refused.
  const lateInsertSql = `insert into history (request_id, at, account_id, body) values ('req_late', now(), $1, '{}')`
  await world.pool.query(lateInsertSql, [user.accountId])
  await eraseClosedAccounts({ ctx })
  expect(await countRemainingRows()).toEqual({ history: 0, tasks: 0 })
  expect(await world.console.ports.closings.listUnerased()).toContain(user.accountId)
  await world.pool.query(`update account set forget_since = forget_since - interval '10 minutes' where id = $1`, [user.accountId])
  await eraseClosedAccounts({ ctx })
  expect(await world.console.ports.closings.listUnerased()).not.toContain(user.accountId)
})
