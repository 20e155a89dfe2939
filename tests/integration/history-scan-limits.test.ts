import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requestChart, requestFilters } from '#lib/contracts/history'
import { type RequestRow, requestPage, requestQuery } from '#lib/contracts/requests'
import { newId } from '#lib/domain/ids'
import { HOUR_MS } from '#lib/domain/time-units'
import { chartRequests } from '#lib/services/history/chart-requests'
import { listRequests } from '#lib/services/history/list-requests'
import type { SignedInUser } from '#lib/services/ports'
import { writeHistory } from '#lib/store/history-store'
import { type ConsoleWorld, NOW, openConsoleWorld } from './console-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())

const list = async (query: Record<string, string>, as: SignedInUser) =>
  requestPage.parse(await listRequests({ ctx: world.as(as), input: requestQuery.parse(query) }))
const chart = async (query: Record<string, string>, as: SignedInUser) =>
  requestChart.parse(await chartRequests({ ctx: world.as(as), input: requestFilters.parse(query) }))

describe('a search of what was said', () => {
  it('unpacks so much for one page and says how far it looked, however little its texts take where they are kept', async () => {
    const user = await world.newUser()
    const ids: string[] = []
    // Histories are kept for thirty days, counted by the database's clock.
    const present = Date.now()
    for (let place = 0; place < 6; place++) {
      const at = new Date(present - place * 1000)
      const id = await world.settle(user, { at })
      const messageText = `${'a'.repeat(12 * 1024 * 1024)}${place === 5 ? 'needle' : ''}`
      await writeHistory(world.pool, [
        { requestId: id, at, accountId: user.accountId, json: JSON.stringify({ request: messageText }) },
      ])
      ids.push(id)
    }
    const search = { q: 'NEEDLE', in: 'messages' }
    const first = await list(search, user)
    expect(first).toMatchObject({ rows: [], next: ids[2] })
    const rest = await list({ ...search, before: first.next ?? '' }, user)
    expect(rest.rows.map(({ id }) => id)).toEqual([ids[5]])
  })

  it('is one of a few of its account at once, and gives its place back', async () => {
    const [user, other] = [await world.newUser(), await world.newUser()]
    const { promise, resolve } = Promise.withResolvers<{ records: []; lookedTo: null }>()
    const slow = (as: SignedInUser) => ({ ...world.as(as), requests: { ...world.as(as).requests, page: () => promise } })
    const search = (as: SignedInUser) => listRequests({ ctx: slow(as), input: requestQuery.parse({ q: 'x', in: 'messages' }) })
    const running = Array.from({ length: 4 }, () => search(user))
    await expect(search(user)).rejects.toMatchObject({ code: 'rate_limit_exceeded' })
    running.push(search(other))
    resolve({ records: [], lookedTo: null })
    await Promise.all(running)
    expect((await list({ q: 'x', in: 'messages' }, user)).rows).toEqual([])
  })
})

describe('a rare filter over many requests', () => {
  let busy: SignedInUser
  const COUNT = 45_000
  const START = NOW.getTime() - 20 * HOUR_MS

  beforeAll(async () => {
    busy = await world.newUser()
    const times = Array.from({ length: COUNT }, (_, place) => START + place * 1000)
    const ids = times.map((ms) => newId('req', ms, randomBytes(10)))
    await world.pool.query(
      `insert into usage_record (id, at, account_id, key_id, group_id, model_id, endpoint, stream, status, outcome,
         input_units, cached_units, output_units, reasoning_units, hold_nano, charged_nano, shortfall_nano, vendor_cost_nano,
         estimated, receipt, trace, own_ms, took_ms)
       select id, at, $3, 'key_none', 'grp_main', 'small', 'chat.completions', false, 200, 'finished',
         0, 0, 0, 0, 0, 0, 0, 0, false, '{}', '[]', 0, case when place = 1 then 999 else 1 end
       from unnest($1::text[], $2::timestamptz[]) with ordinality as t (id, at, place)`,
      [ids, times.map((ms) => new Date(ms)), busy.accountId],
    )
    await world.pool.query('analyze usage_record')
  })

  it('looks at so much and says how far, and looks further when asked', async () => {
    const scannedTo: string[] = []
    const rows: RequestRow[] = []
    for (let before: string | null = ''; before !== null; ) {
      const page: Awaited<ReturnType<typeof list>> = await list({ took: '500', ...(before ? { before } : {}) }, busy)
      rows.push(...page.rows)
      before = page.next
      if (page.lookedTo !== null) scannedTo.push(page.lookedTo)
      expect(page.lookedTo === null).toBe(page.next === null)
    }
    expect(rows).toMatchObject([{ at: new Date(START).toISOString(), tookMs: 999 }])
    expect(scannedTo).toHaveLength(2)
    expect(scannedTo).toEqual([...scannedTo].sort().reverse())
    expect(Date.parse(scannedTo[0] ?? '')).toBeLessThan(START + (COUNT - 20_000) * 1000)
    expect(Date.parse(scannedTo[0] ?? '')).toBeGreaterThan(START + (COUNT - 21_000) * 1000)
  })

  it('says from when on its chart counts', async () => {
    const found = await chart({ took: '1', from: new Date(START).toISOString() }, busy)
    expect(found.countedFrom).toBe(new Date(START + (COUNT - 30_000) * 1000).toISOString())
    expect(found.buckets.reduce((sum, { requests }) => sum + requests, 0)).toBe(30_000)
  })
})
