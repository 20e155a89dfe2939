import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { clearResult, historySettings, savedView, viewList } from '#lib/contracts/history'
import { requestDetail } from '#lib/contracts/requests'
import { DAY_MS } from '#lib/domain/time-units'
import type { SignedInUser } from '#lib/services/ports'
import { ChangeListener } from '#lib/store/change-listener'
import { unpack } from '#lib/store/compression'
import { upkeep, writeHistory } from '#lib/store/history-store'
import { type ConsoleWorld, openConsoleWorld, provideConsole } from './console-world.ts'

const routes = {
  detail: await import('#app/api/requests/[id]/route'),
  views: await import('#app/api/history/views/route'),
  view: await import('#app/api/history/views/[id]/route'),
  request: await import('#app/api/history/requests/[id]/route'),
  settings: await import('#app/api/history/settings/route'),
  clear: await import('#app/api/history/clear/route'),
}

let world: ConsoleWorld
let user: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.newUser()
  world.removedUrls.length = 0
})

/** Retention uses the database's clock, so these must really be this old. */
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS)
const write = (id: string, at: Date, body: object, as = user) =>
  writeHistory(world.pool, [{ requestId: id, at, accountId: as.accountId, json: JSON.stringify(body) }])

async function settleWithHistory(
  at: Date,
  body: object = { request: { input: 'hi' }, answer: null },
  as = user,
  endpoint = 'chat.completions',
) {
  const id = await world.settle(as, { at, endpoint })
  await write(id, at, body, as)
  return id
}

const rows = async (as = user) =>
  (
    await world.pool.query<{ id: string; body: Buffer }>(
      'select request_id as id, body from history where account_id = $1 order by at desc',
      [as.accountId],
    )
  ).rows
const detail = async (id: string, as = user) =>
  requestDetail.parse(await (await world.call(routes.detail.GET, { as, params: { id } })).json())
const remove = (id: string, as = user) => world.call(routes.request.DELETE, { method: 'DELETE', as, params: { id } })
const post = (route: { POST: typeof routes.clear.POST }, body: unknown, as = user) =>
  world.call(route.POST, { method: 'POST', as, body })
const set = (enabled: boolean, days: number) => post(routes.settings, { enabled, days })

describe('deleting what was said in a request', () => {
  it.each([
    ['as it is', { request: { input: 'small' }, answer: { text: 'a' } }],
    ['compressed', { request: { input: 'long '.repeat(5000) }, answer: { text: 'a' } }],
  ])('takes it away, stored %s, and leaves its record', async (_how, body) => {
    const at = daysAgo(1)
    const id = await settleWithHistory(at, body)
    expect((await detail(id)).history).not.toBeNull()
    expect((await remove(id)).status).toBe(200)
    expect(await detail(id)).toMatchObject({ id, history: null, historyDeleted: true })
    expect((await rows()).map((row) => row.body.length)).toEqual([0])
    // Deleting again changes nothing, and an entry that comes late is not written.
    expect((await remove(id)).status).toBe(200)
    await write(id, at, body)
    expect((await detail(id)).history).toBeNull()
  })

  it('holds where it was not written yet', async () => {
    const at = daysAgo(0)
    const id = await world.settle(user, { at })
    await remove(id)
    await write(id, at, { request: 'late', answer: null })
    expect(await detail(id)).toMatchObject({ history: null, historyDeleted: true })
  })

  it("is a 404 for another account's request, which stays", async () => {
    const id = await settleWithHistory(daysAgo(1))
    expect((await remove(id, await world.newUser())).status).toBe(404)
    expect((await remove('req_none')).status).toBe(404)
    expect((await detail(id)).history).not.toBeNull()
  })

  it('is of its account alone, whoever knows its number', async () => {
    const [id, other] = [await settleWithHistory(daysAgo(1)), await world.newUser()]
    const { requests } = world.console.ports
    expect(await requests.history(user.accountId, id)).toMatchObject({ content: { request: { input: 'hi' } } })
    expect([await requests.find(other.accountId, id), await requests.history(other.accountId, id)]).toEqual([null, null])
  })

  it('removes the images that it made, and no address that a caller only wrote', async () => {
    const url = 'http://localhost:3000/files/2099010100/file_1.png?expires=1&signature=x'
    const imageHistory = {
      request: { prompt: 'http://forged.example/files/x' },
      answer: { data: [{ url }, { b64_json: 'x' }, null] },
    }
    await remove(await settleWithHistory(daysAgo(0), imageHistory, user, 'images.generations'))
    expect(world.removedUrls).toEqual([url])
    await remove(await settleWithHistory(daysAgo(0), { request: {}, answer: { data: [{ url }] } }, user, 'chat.completions'))
    expect(world.removedUrls).toEqual([url])
  })
})

describe('deleting everything', () => {
  it('takes away what the account said so far, keeps the records, and touches nobody else', async () => {
    const other = await world.newUser()
    const theirs = await settleWithHistory(daysAgo(1), undefined, other)
    const ids = [await settleWithHistory(daysAgo(0)), await settleWithHistory(daysAgo(1)), await settleWithHistory(daysAgo(20))]
    const pending = daysAgo(0)
    const pendingId = await world.settle(user, { at: pending })
    expect(clearResult.parse(await (await post(routes.clear, { confirm: 'delete' })).json())).toEqual({ requests: 3 })
    expect(await rows()).toEqual([])
    for (const id of ids) expect(await detail(id)).toMatchObject({ id, history: null, historyDeleted: true })
    expect((await detail(theirs, other)).history).not.toBeNull()
    // Entries of requests that were in flight are no longer written. Later requests are.
    await write(pendingId, pending, { request: 'late', answer: null })
    expect(await rows()).toEqual([])
    const later = new Date(Date.now() + 1000)
    const laterId = await settleWithHistory(later)
    expect(await detail(laterId)).toMatchObject({ history: { request: { input: 'hi' } }, historyDeleted: false })
  })

  it('removes the images and videos', async () => {
    const [image, video] = ['png', 'mp4'].map(
      (end) => `http://localhost:3000/files/2099010100/file_2.${end}?expires=1&signature=x`,
    )
    await settleWithHistory(daysAgo(0), { request: {}, answer: { data: [{ url: image }] } }, user, 'images.edits')
    const id = await world.settle(user, { at: daysAgo(0), endpoint: 'videos.generations' })
    await world.pool.query(
      `insert into task (id, request_id, account_id, key_id, group_id, model_id, endpoint, state, seconds, pin, hold_nano,
         keep_history, own_ms, due_at, url, created_at, finished_at, expires_at)
       values ($1, $1, $2, 'key_none', 'grp_main', 'small', 'videos.generations', 'completed', 5, '{}', 0,
         true, 1, now(), $3, now(), now(), now())`,
      [id, user.accountId, video],
    )
    await post(routes.clear, { confirm: 'delete' })
    expect(world.removedUrls).toEqual([image, video])
    await remove(id)
    expect(world.removedUrls).toEqual([image, video, video])
  })

  it.each([{}, { confirm: 'yes' }])('asks for the word: %o', async (body) => {
    await settleWithHistory(daysAgo(0))
    const response = await post(routes.clear, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { field: 'confirm' } })
    expect(await rows()).toHaveLength(1)
  })
})

describe('the settings', () => {
  const read = async () => historySettings.parse(await (await world.call(routes.settings.GET, { as: user })).json())

  it('are on and thirty days at first, and kept when set', async () => {
    expect(await read()).toEqual({ enabled: true, days: 30 })
    expect(await (await set(false, 7)).json()).toEqual({ enabled: false, days: 7 })
    expect(await read()).toEqual({ enabled: false, days: 7 })
  })

  it.each([0, 366, 1.5, '7'])('take no %s days', async (days) => {
    const response = await post(routes.settings, { enabled: true, days })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { field: 'days' } })
  })

  it('tell every process, by notification and by the table', async () => {
    const receivedChanges: string[] = []
    const on = () => undefined
    const listener = new ChangeListener({
      ...{ url: world.url, pool: world.pool, warn: on },
      handlers: { onRecall: on, onReturned: on, onChange: (topic, ref) => void receivedChanges.push(`${topic}:${ref}`) },
    })
    await listener.start()
    receivedChanges.length = 0
    await set(false, 30)
    await vi.waitFor(() => expect(receivedChanges).toContain(`account:${user.accountId}`), { timeout: 5000, interval: 10 })
    await listener.stop()
  })

  it('switched off, nothing more is written, not even what began before; what is there stays', async () => {
    const id = await settleWithHistory(daysAgo(1))
    await set(false, 30)
    await settleWithHistory(daysAgo(0))
    expect((await rows()).map((row) => row.id)).toEqual([id])
    await set(true, 30)
    const again = await settleWithHistory(daysAgo(0))
    expect((await rows()).map((row) => row.id)).toEqual([again, id])
  })

  it('delete at once what is older than the days, however it is stored', async () => {
    const young = await settleWithHistory(daysAgo(2))
    await settleWithHistory(daysAgo(4), { request: 'long '.repeat(5000), answer: null })
    await settleWithHistory(daysAgo(29))
    await set(true, 3)
    expect((await rows()).map((row) => row.id)).toEqual([young])
  })

  it('are what the daily sweep goes by, account by account', async () => {
    const long = await world.newUser()
    await world.pool.query('update account set history_days = 200 where id = $1', [long.accountId])
    await world.pool.query('update account set history_days = 2 where id = $1', [user.accountId])
    const kept = [await settleWithHistory(daysAgo(1)), await settleWithHistory(daysAgo(3))]
    const theirs = [await settleWithHistory(daysAgo(3), undefined, long), await settleWithHistory(daysAgo(199), undefined, long)]
    await settleWithHistory(daysAgo(201), undefined, long)
    await upkeep(world.pool)
    expect((await rows()).map((row) => row.id)).toEqual(kept.slice(0, 1))
    expect((await rows(long)).map((row) => row.id)).toEqual(theirs)
    expect(JSON.parse(await unpack((await rows())[0]?.body ?? Buffer.alloc(0)))).toMatchObject({ request: { input: 'hi' } })
  })

  it('go by whole days where nobody keeps them, but not while all of history is read, and who reads waits for nobody', async () => {
    const day = `history_${new Date(Date.now() - 4000 * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '')}`
    await world.pool.query(`create table ${day} (like history including all)`)
    await world.pool.query(`alter table history attach partition ${day} for values from ('2001-01-01') to ('2001-01-02')`)
    const partitionExists = async () => (await world.pool.query('select to_regclass($1) as day', [day])).rows[0]?.day !== null
    const dump = await world.pool.connect()
    try {
      await dump.query('begin; lock table history in access share mode')
      const sweeping = upkeep(world.pool).then(
        () => 'done',
        (error: unknown) => String(error),
      )
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const started = performance.now()
      await rows()
      expect(performance.now() - started).toBeLessThan(10_000)
      expect(await sweeping).toContain('lock timeout')
      expect(await partitionExists()).toBe(true)
    } finally {
      await dump.query('commit')
      dump.release()
    }
    await upkeep(world.pool)
    expect(await partitionExists()).toBe(false)
  }, 60_000)
})

describe('saved views', () => {
  const views = async (as = user) => viewList.parse(await (await world.call(routes.views.GET, { as })).json()).rows
  const save = async (body: object, as = user) => {
    const response = await post(routes.views, body, as)
    return { status: response.status, body: await response.json() }
  }
  const drop = (id: string, as = user) => world.call(routes.view.DELETE, { method: 'DELETE', as, params: { id } })

  it('are made, listed by name, changed and deleted', async () => {
    const slow = savedView.parse((await save({ name: ' Slow ', query: '?took=2000&model=small' })).body)
    expect(slow).toMatchObject({ name: 'Slow', query: 'model=small&took=2000' })
    await save({ name: 'errors', query: 'status=error' })
    expect((await views()).map(({ name }) => name)).toEqual(['errors', 'Slow'])
    expect((await save({ id: slow.id, name: 'A slow one', query: 'took=9000' })).status).toBe(200)
    expect(await views()).toMatchObject([{ id: slow.id, name: 'A slow one', query: 'took=9000' }, { name: 'errors' }])
    expect((await drop(slow.id)).status).toBe(200)
    expect(await views()).toHaveLength(1)
    expect((await drop(slow.id)).status).toBe(404)
  })

  it.each([
    [{ name: ' ', query: '' }, 'name'],
    [{ name: 'x'.repeat(61), query: '' }, 'name'],
    [{ name: 'x', query: 'status=odd' }, 'query'],
    [{ name: 'x', query: 'id=req_1' }, 'query'],
    [{ name: 'x', query: 'from=2026-11-20T10:00:00Z&to=2026-11-19T10:00:00Z' }, 'to'],
    [{ name: 'x', query: 'a'.repeat(2001) }, 'query'],
  ])('take no %o', async (body, field) => {
    expect(await save(body)).toMatchObject({ status: 400, body: { error: { field } } })
  })

  it('are fifty at most, however many come together', async () => {
    for (let count = 0; count < 45; count++) expect((await save({ name: `v${count}`, query: '' })).status).toBe(200)
    const last = await Promise.all(Array.from({ length: 10 }, (_, place) => save({ name: `w${place}`, query: '' })))
    expect(last.filter(({ status }) => status === 200)).toHaveLength(5)
    expect(last.filter(({ status }) => status === 409)).toHaveLength(5)
    expect(await views()).toHaveLength(50)
  })

  it('are of one person: to others they are not there', async () => {
    const { body } = await save({ name: 'mine', query: '' })
    const other = await world.newUser()
    expect(await views(other)).toEqual([])
    expect((await save({ id: body.id, name: 'theirs', query: '' }, other)).status).toBe(404)
    expect((await drop(body.id, other)).status).toBe(404)
    expect(await views()).toMatchObject([{ name: 'mine' }])
  })
})
