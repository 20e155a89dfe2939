// Models, deployments and connections that are withdrawn while videos run there: those videos are still looked after.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { sendBody, startVideoVendor, type VideoVendor } from '../fakes/video-vendor.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { addVideoModel, videoClient } from '../support/videos.ts'

let world: ApiWorld
let vendor: VideoVendor
beforeAll(async () => {
  world = await openApiWorld()
  vendor = await startVideoVendor()
})
afterAll(async () => {
  await expectBalancedBooks(world.pool)
  await world[Symbol.asyncDispose]()
  await vendor[Symbol.asyncDispose]()
})

/** What an operator does to the model `$1`. */
const WITHDRAWALS: [string, string][] = [
  ['its deployment is disabled', 'update deployment set enabled = false where model_id = $1'],
  ['its deployment is archived', 'update deployment set archived_at = now() where model_id = $1'],
  ['its model is disabled', 'update model set enabled = false where id = $1'],
  [
    'its connection is archived',
    'update connection set archived_at = now() where id = (select connection_id from deployment where model_id = $1)',
  ],
]

let models = 0

/** Starts a video of a model of its own, and withdraws that once the vendor makes it. */
async function withdrawn(sql: string) {
  const model = `fake/film-${++models}`
  await addVideoModel(world.pool, model, vendor.url)
  await untilModelKnown(world, model)
  const holder = await world.holder()
  const client = videoClient(world.url, holder.secret, model)
  vendor.setInitialStatus('processing')
  const { id } = await client.create()
  await client.pollUntil(id, ['processing'])
  await world.pool.query(sql, [model])
  await world.pool.query(`insert into change (topic, ref) values ('catalog', $1)`, [model])
  await world.pool.query(`select pg_notify('tollgate_change', 'catalog:' || $1::text)`, [model])
  await expect.poll(async () => (await client.call('POST', '', { model, prompt: 'x' })).status).toBeGreaterThanOrEqual(400)
  const video = vendor.videos.find(({ key }) => key === id)
  if (!video) throw new Error('the vendor has no such video')
  return { holder, client, id, video }
}

describe.each(WITHDRAWALS)('%s', (_, sql) => {
  test('a video that runs there is delivered and charged', async () => {
    const { holder, client, id, video } = await withdrawn(sql)
    video.status = 'completed'
    expect((await client.pollUntil(id, ['completed', 'failed'], 40_000)).status).toBe('completed')
    const charges = await world.pool.query(
      `select charged_nano > 0 as charged from usage_record where account_id = $1 and outcome = 'finished'`,
      [holder.accountId],
    )
    expect(charges.rows).toEqual([{ charged: true }])
  })

  test('a video that is cancelled there is stopped with its vendor', async () => {
    const { client, id, video } = await withdrawn(sql)
    expect((await client.call('POST', `/${id}/cancel`)).task.status).toBe('failed')
    await expect.poll(() => video.error, { timeout: 10_000 }).toBe('cancelled')
  })
})

test('a vendor that says to come back in an hour is asked within a minute: the money of the video is held meanwhile', async () => {
  await addVideoModel(world.pool, 'fake/busy', vendor.url)
  await untilModelKnown(world, 'fake/busy')
  const { secret } = await world.holder()
  const client = videoClient(world.url, secret, 'fake/busy')
  vendor.setBehaviour('submit', (response) => sendBody(response, 429, {}, { 'retry-after': '3600' }))
  const { id } = await client.create()
  const dueInSeconds = async (): Promise<number> => {
    const { rows } = await world.pool.query(
      'select failures, extract(epoch from due_at - clock_timestamp())::float as due from task where id = $1',
      [id],
    )
    return rows[0].failures > 0 ? rows[0].due : Number.POSITIVE_INFINITY
  }
  await expect.poll(dueInSeconds, { timeout: 10_000 }).toBeLessThanOrEqual(60)
  expect(await dueInSeconds()).toBeGreaterThan(20)
  expect((await client.call('POST', `/${id}/cancel`)).task.status).toBe('failed')
  vendor.setBehaviour('submit', null)
})
