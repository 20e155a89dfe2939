import { describe, expect, it } from 'vitest'
import { LeasedCapacity } from './leased-capacity.ts'
import { nth, settle, sharedCounts } from './testing.ts'

const shared = sharedCounts()

describe('the places of a key across processes', () => {
  it('are never more than there are, and all of them can be taken', async () => {
    const processes = shared.group(4)
    const take = async () => {
      const taken = await Promise.all(Array.from({ length: 400 }, async (_, n) => await nth(processes, n).room.take('k')))
      return taken.map((is, n) => (is ? n : -1)).filter((n) => n >= 0)
    }
    const first = await take()
    expect(first.length).toBe(100)
    expect(await nth(processes, 1).room.take('other')).toBe(true)
    for (const n of first) nth(processes, n).room.release('k')
    await settle()
    expect((await take()).length).toBe(100)
  })

  it('are leased where many are free, and go back when they are idle', async () => {
    const one = shared.process('one', 1)
    const room = new LeasedCapacity({ countsClient: one.reach, max: () => 1000 })
    expect(await room.take('k')).toBe(true)
    for (let n = 0; n < 20; n++) expect(room.take('k')).toBe(true)
    expect(shared.sentAsks.length).toBe(1)
    const free = () =>
      shared.counts.enter({ kind: 'enter', key: 'k', most: 1000, running: 0, need: 1000, block: false }, 1, 'looker').granted
    expect(free()).toBe(1000 - 1 - 62)
    shared.counts.forget('looker')
    for (let n = 0; n < 21; n++) room.release('k')
    for (let n = 0; n < 3; n++) room.tick()
    await settle()
    expect(free()).toBe(1000)
  })

  it('go back when there are fewer in all', async () => {
    let most = 1000
    const { reach: countsClient } = shared.process('one', 1)
    const room = new LeasedCapacity({ countsClient, max: () => most })
    for (let n = 0; n < 5; n++) expect(await room.take('k')).toBe(true)
    most = 5
    room.tick()
    await settle()
    expect(await room.take('k')).toBe(false)
    room.release('k')
    await settle()
    expect(await room.take('k')).toBe(true)
  })

  it('come back when their process dies, and are told anew to counts that forgot them', async () => {
    const [one, other] = shared.group(2) as [ReturnType<typeof shared.process>, ReturnType<typeof shared.process>]
    for (let n = 0; n < 60; n++) await one.room.take('k')
    for (let n = 0; n < 50; n++) await other.room.take('k')
    expect(await other.room.take('k')).toBe(false)
    shared.counts.forget('p0')
    expect(await other.room.take('k')).toBe(true)
    shared.lost = true
    await one.room.take('x')
    shared.counts = shared.empty()
    shared.lost = false
    await expect.poll(() => one.heard.at(-1)).toBe(true)
    await settle()
    expect(
      shared.counts.enter({ kind: 'enter', key: 'k', most: 100, running: 0, need: 100, block: false }, 1, 'looker').granted,
    ).toBe(40)
  })
})

it('while the shared counts are out of reach each process has its share of the places of a key', async () => {
  const { room } = shared.process('p', 4)
  shared.lost = true
  let inside = 0
  for (let n = 0; n < 100; n++) if (await room.take('k')) inside++
  expect(inside).toBe(25)
  for (let n = 0; n < 5; n++) room.release('k')
  inside -= 5
  for (let n = 0; n < 100; n++) if (await room.take('k')) inside++
  expect(inside).toBe(25)
})
