import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Grain } from '#lib/domain/traffic'
import { addTraffic, type TrafficRow, upkeepTraffic } from '#lib/store/traffic-writes'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { trafficRow } from '../support/traffic.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let database: TestDatabase
beforeAll(async () => {
  database = await createDatabase()
})
afterAll(() => database.drop())
beforeEach(() => database.pool.query('truncate traffic, traffic_writer'))

const rows = async (where = 'true') =>
  (await database.pool.query(`select * from traffic where ${where} order by span, grain, at, id`)).rows

it('adds what comes to what is there, buckets too, whichever process it is from', async () => {
  const at = new Date('2026-11-22T10:07:00Z')
  const one = { span: 'minute', grain: 'model', at, id: 'a/"b"\\c' } as const
  await addTraffic(database.pool, 'proc_1', 1, [
    trafficRow({ ...one, requests: 2, first_ms: 1.5, first_buckets: [128 + 3, 2 * 128 + 9] }),
  ])
  await addTraffic(database.pool, 'proc_2', 1, [
    trafficRow({ ...one, requests: 3, charged_nano: 10, first_buckets: [128 + 1, 128 + 9] }),
  ])
  await addTraffic(database.pool, 'proc_1', 2, [trafficRow({ ...one, requests: 1, first_ms: 1 })])
  expect(await rows()).toMatchObject([
    {
      ...one,
      requests: '6',
      charged_nano: '10',
      first_ms: 2.5,
      first_buckets: [String(128 + 1), String(128 + 3), String(3 * 128 + 9)],
    },
  ])
})

it('a batch that is sent again adds nothing', async () => {
  const batch = [trafficRow({ span: 'minute', grain: 'all', at: new Date(), requests: 5 })]
  await addTraffic(database.pool, 'proc_1', 1, batch)
  await addTraffic(database.pool, 'proc_1', 1, batch)
  expect((await rows()).map(({ requests }) => requests)).toEqual(['5'])
})

it('processes that write the same rows at once lose none of it', async () => {
  const at = new Date('2026-11-22T10:07:00Z')
  const ids = Array.from({ length: 50 }, () => randomUUID())
  const batches = Array.from({ length: 12 }, (_, writer) =>
    addTraffic(
      database.pool,
      `proc_${writer}`,
      1,
      // Each writer has an order of its own.
      [...ids.slice(writer), ...ids.slice(0, writer)].map((id) =>
        trafficRow({ span: 'minute', grain: 'deployment', at, id, attempts: 1 }),
      ),
    ),
  )
  await Promise.all(batches)
  const all = await rows()
  expect(all).toHaveLength(50)
  expect(new Set(all.map(({ attempts }) => attempts))).toEqual(new Set(['12']))
})

const midnight = () => Math.floor(Date.now() / DAY) * DAY

it('adds the days up that are over, again where they got more since, and those without traffic', async () => {
  const first = midnight() - 3 * DAY
  const hour = (at: number, grain: Grain, id: string, fields: Partial<TrafficRow>) =>
    trafficRow({ span: 'hour', grain, at: new Date(at), id, ...fields })
  await addTraffic(database.pool, 'proc_1', 1, [
    hour(first + HOUR, 'all', '', { requests: 2, took_buckets: [2 * 128 + 5] }),
    hour(first + 23 * HOUR, 'all', '', { requests: 3, took_buckets: [128 + 5, 128 + 6] }),
    hour(first + HOUR, 'model', 'a', { requests: 2, first_ms: 7 }),
    hour(midnight(), 'all', '', { requests: 9 }),
  ])
  await upkeepTraffic(database.pool)
  const days = () => rows(`span = 'day'`)
  expect((await days()).map(({ grain, at, id, requests }) => [grain, at.getTime(), id, requests])).toEqual([
    ['all', first, '', '5'],
    ['all', first + DAY, '', '0'],
    ['all', first + 2 * DAY, '', '0'],
    ['model', first, 'a', '2'],
  ])
  expect((await days())[0]).toMatchObject({ took_buckets: [String(3 * 128 + 5), String(128 + 6)], first_buckets: [] })

  await addTraffic(database.pool, 'proc_late', 1, [
    hour(first + 2 * HOUR, 'all', '', { requests: 1 }),
    hour(first + 2 * HOUR, 'model', 'a', { requests: 1 }),
  ])
  await upkeepTraffic(database.pool)
  await upkeepTraffic(database.pool)
  expect((await days()).map(({ grain, requests }) => [grain, requests])).toEqual([
    ['all', '6'],
    ['all', '0'],
    ['all', '0'],
    ['model', '3'],
  ])
})

it('forgets minutes after two days, hours after ninety, and no day', async () => {
  const now = Date.now()
  const daysAgo = (days: number) => new Date(now - days * DAY)
  await addTraffic(database.pool, 'proc_1', 1, [
    trafficRow({ span: 'minute', grain: 'all', at: daysAgo(1.9), requests: 1 }),
    trafficRow({ span: 'minute', grain: 'all', at: daysAgo(2.1), requests: 1 }),
    trafficRow({ span: 'hour', grain: 'model', at: daysAgo(89), requests: 1 }),
    trafficRow({ span: 'hour', grain: 'model', at: daysAgo(91), requests: 1 }),
    trafficRow({ span: 'day', grain: 'model', at: daysAgo(500), requests: 1 }),
  ])
  await upkeepTraffic(database.pool)
  expect((await rows()).map(({ span, grain }) => `${span} ${grain}`)).toEqual(['day model', 'hour model', 'minute all'])
})
