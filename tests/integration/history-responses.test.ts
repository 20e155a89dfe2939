import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { closeAccount } from '#lib/services/account/close-account'
import { clearHistory } from '#lib/services/history/clear-history'
import { deleteHistory } from '#lib/services/history/delete-history'
import { setHistorySettings } from '#lib/services/history/set-history-settings'
import type { SignedInUser } from '#lib/services/ports'
import { upkeep } from '#lib/store/history-store'
import { findResponse, findResponseChain, saveResponse } from '#lib/store/response-store'
import { type ConsoleWorld, openConsoleWorld, PASSWORD } from './console-world.ts'

let world: ConsoleWorld
let user: SignedInUser
beforeAll(async () => {
  world = await openConsoleWorld()
})
afterAll(() => world.close())
beforeEach(async () => {
  user = await world.newUser()
})

/** Retention uses the database's clock, so these must really be this old. */
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
const remove = (id: string, as = user) =>
  deleteHistory({ ctx: world.as(as), input: { id } }).then(
    () => 'deleted',
    (error: { code: string }) => error.code,
  )

describe('stored responses', () => {
  const idOf = (requestId: string) => requestId.replace('req_', 'resp_')
  const keep = async (at: Date, previousId: string | null = null, as = user) => {
    const id = await world.settle(as, { at, endpoint: 'responses' })
    await put(id, at, previousId, as)
    return id
  }
  const put = (id: string, at: Date, previousId: string | null = null, as = user) =>
    saveResponse(world.pool, { id: idOf(id), accountId: as.accountId, previousId, at, response: {}, input: [{ said: 'hi' }] }, 30)
  const isStored = async (id: string, as = user) => (await findResponse(world.pool, as.accountId, idOf(id))) !== null
  const chain = (id: string) => findResponseChain(world.pool, user.accountId, idOf(id))

  it('go with what was said in their request, and what continued them cannot be continued', async () => {
    const at = daysAgo(0)
    const first = await keep(at)
    const second = await keep(daysAgo(0), idOf(first))
    expect(await chain(second)).toMatchObject({ responses: [{}, {}] })
    expect(await remove(first, await world.newUser())).toBe('not_found')
    expect(await isStored(first)).toBe(true)
    expect(await remove(first)).toBe('deleted')
    expect([await isStored(first), await isStored(second)]).toEqual([false, true])
    expect([await chain(first), await chain(second)]).toEqual(['unknown', 'broken'])
    // A response that comes late is not written.
    await put(first, at)
    expect(await isStored(first)).toBe(false)
  })

  it('of an account that was closed are not written any more', async () => {
    const at = daysAgo(0)
    const late = await world.settle(user, { at, endpoint: 'responses' })
    await closeAccount({ ctx: world.as(user), input: { email: user.email, password: PASSWORD, forfeitNano: null } })
    await put(late, at)
    expect(await isStored(late)).toBe(false)
  })

  it('go with everything, those under way among them, and nobody else loses any', async () => {
    const other = await world.newUser()
    const theirs = await keep(daysAgo(1), null, other)
    const ids = [await keep(daysAgo(0)), await keep(daysAgo(20))]
    const [late, lateId] = [daysAgo(0), await world.settle(user, { at: daysAgo(0) })]
    await clearHistory({ ctx: world.as(user) })
    await put(lateId, late)
    for (const id of [...ids, lateId]) expect(await isStored(id)).toBe(false)
    expect(await isStored(theirs, other)).toBe(true)
    const later = await keep(new Date(Date.now() + 1000))
    expect(await isStored(later)).toBe(true)
  })

  it('are kept no longer than the history, those of before as well, unless a later one continues them', async () => {
    const [old, young] = [await keep(daysAgo(5)), await keep(daysAgo(1))]
    const begun = await keep(daysAgo(6))
    const going = await keep(daysAgo(1), idOf(begun))
    await setHistorySettings({ ctx: world.as(user), input: { enabled: true, days: 3 } })
    expect([await isStored(old), await isStored(young), await isStored(begun)]).toEqual([false, true, false])
    await upkeep(world.pool)
    expect(await chain(going)).toMatchObject({ responses: [{}, {}] })
    const left = await world.pool.query('select id from stored_response where account_id = $1', [user.accountId])
    expect(left.rows.map(({ id }) => id).sort()).toEqual([young, begun, going].map(idOf).sort())
    const { rows: found } = await world.pool.query<{ days: number }>(
      'select extract(day from expires_at - now())::int as days from stored_response where id = $1',
      [idOf(await keep(daysAgo(0)))],
    )
    // Times are rounded to the millisecond: asked within the same one, three whole days may be left.
    expect([2, 3]).toContain(found[0]?.days)
  })
})
