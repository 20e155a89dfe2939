import { afterAll, beforeAll, expect, test } from 'vitest'
import { runningTaskList } from '#lib/contracts/tasks'
import { cancelTask } from '#lib/services/history/cancel-task'
import { listRunningTasks } from '#lib/services/history/list-running-tasks'
import { createRunningTasks } from '#lib/store/console/running-tasks'
import { type ApiWorld, BALANCE } from '../fakes/api-world.ts'
import type { VideoVendor } from '../fakes/video-vendor.ts'
import { openVideoWorld } from '../fakes/video-world.ts'
import { balanceOf } from '../support/fixtures.ts'
import { SECOND_PRICE_NANO, videoClient } from '../support/videos.ts'

// The verbs run in this process, which has no gateway, as a console with ROLE=console does.
let world: ApiWorld
let vendor: VideoVendor
let close = async () => {}

beforeAll(async () => {
  ;({ world, vendor, close } = await openVideoWorld())
  vendor.setInitialStatus('processing')
})

afterAll(() => close())

const ctxOf = (accountId: string) => ({
  user: {
    userId: 'usr_1',
    accountId,
    name: 'A',
    email: 'a@example.com',
    role: 'holder' as const,
    sessionEpoch: 0,
    locale: 'en' as const,
  },
  runningTasks: createRunningTasks(world.pool),
})
const list = async (accountId: string) => runningTaskList.parse(await listRunningTasks({ ctx: ctxOf(accountId) }))
const cancel = (accountId: string, id: string) => cancelTask({ ctx: ctxOf(accountId), input: { id } })

async function startVideo() {
  const holder = await world.holder()
  const client = videoClient(world.url, holder.secret, 'fake/video')
  const { id } = await client.create()
  return { holder, client, id }
}

const videoOf = (id: string) => vendor.videos.find(({ key }) => key === id)

test('a video in progress is shown to its holder, with what it holds, and to nobody else', async () => {
  const { holder, client, id } = await startVideo()
  await client.pollUntil(id, ['processing'])
  const heldNano = String(5n * SECOND_PRICE_NANO)
  expect(await list(holder.accountId)).toMatchObject({
    rows: [{ id, model: 'fake/video', state: 'processing', heldNano }],
    more: 0,
  })
  const stranger = await world.holder()
  expect(await list(stranger.accountId)).toEqual({ rows: [], more: 0 })
  await expect(cancel(stranger.accountId, id)).rejects.toMatchObject({ code: 'not_found' })
  await expect(cancel(stranger.accountId, 'task_1')).rejects.toMatchObject({ code: 'not_found' })
  expect((await client.retrieve(id)).status).toBe('processing')
  await cancel(holder.accountId, id)
})

test('a cancelled one ends as in the API: its hold is released once, nothing is charged, and its vendor is told', async () => {
  const { holder, client, id } = await startVideo()
  await client.pollUntil(id, ['processing'])
  const answers = await Promise.all([1, 2, 3].map(() => cancel(holder.accountId, id)))
  expect(answers).toEqual([1, 2, 3].map(() => ({ state: 'cancelled' })))
  expect(await cancel(holder.accountId, id)).toEqual({ state: 'cancelled' })
  expect(await list(holder.accountId)).toEqual({ rows: [], more: 0 })
  expect(await client.retrieve(id)).toMatchObject({ status: 'failed', error: 'The video was cancelled. Nothing was charged.' })
  const { rows } = await world.pool.query('SELECT 1 FROM lease WHERE task_id = $1', [id])
  expect([rows.length, (await balanceOf(world.pool, holder.accountId)).balance]).toEqual([0, BALANCE])
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'cancelled', status: 499, charged: 0n })
  await expect.poll(() => videoOf(id)?.error).toBe('cancelled')
  await world.expectSettledBooks(holder, 1)
})

test('a finished one is not listed and cannot be cancelled', async () => {
  const { holder, client, id } = await startVideo()
  await client.pollUntil(id, ['processing'])
  const video = videoOf(id)
  if (video) video.status = 'completed'
  await client.pollUntil(id, ['completed'])
  expect(await list(holder.accountId)).toEqual({ rows: [], more: 0 })
  await expect(cancel(holder.accountId, id)).rejects.toMatchObject({ code: 'conflict' })
  await world.expectSettledBooks(holder, 1)
})
