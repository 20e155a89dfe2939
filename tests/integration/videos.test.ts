import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { upkeep } from '#lib/store/history-store'
import { type ApiWorld, headersOf } from '../fakes/api-world.ts'
import { chatAnswer, holdAnswers, sendJson } from '../fakes/vendor.ts'
import { VIDEO_BYTES, type VideoVendor } from '../fakes/video-vendor.ts'
import { openVideoWorld } from '../fakes/video-world.ts'
import { addKey, balanceOf, revokeKey } from '../support/fixtures.ts'
import { SECOND_PRICE_NANO, type TaskResponse, videoClient } from '../support/videos.ts'

let world: ApiWorld
let vendor: VideoVendor
let close = async () => {}

beforeAll(async () => {
  ;({ world, vendor, close } = await openVideoWorld())
})

afterAll(() => close())

test('a video is begun, asked for, downloaded, and paid for once', async () => {
  const holder = await world.holder()
  const client = videoClient(world.url, holder.secret, 'fake/video')
  const begun = await client.call('POST', '', { model: 'fake/video', prompt: 'A kite.', duration: 10, seed: 3 })
  expect(begun.status).toBe(200)
  expect(begun.headers.get('retry-after')).toBe('5')
  expect(begun.headers.get('x-tollgate-ignored')).toBe('seed')
  expect(begun.task).toMatchObject({ object: 'video.generation', status: 'pending', model: 'fake/video', duration: 10 })
  const { balance, leased } = await balanceOf(world.pool, holder.accountId)
  expect([balance, leased >= 10n * SECOND_PRICE_NANO]).toEqual([500_000_000n, true])

  const done = await client.pollUntil(begun.task.id, ['completed'])
  expect(done).toMatchObject({ created_at: begun.task.created_at, usage: { video_seconds: 10, cost: 0.2 } })
  const file = await fetch(done.video_url ?? '')
  expect(file.headers.get('content-type')).toBe('video/mp4')
  expect(Buffer.from(await file.arrayBuffer())).toEqual(VIDEO_BYTES)
  expect(vendor.videos.at(-1)).toMatchObject({ key: begun.task.id, body: { prompt: 'A kite.', duration: 10, async: true } })
  const record = await world.record(holder.accountId)
  expect(record).toMatchObject({ outcome: 'finished', status: 200, charged: 200_000_000n, hold: 200_000_000n, shortfall: 0n })
  expect(record.trace).toMatchObject([{ result: 'answered', status: 200 }])
  await world.expectSettledBooks(holder, 1)
})

const createClient = async (options = {}) => {
  const holder = await world.holder(options)
  return { holder, client: videoClient(world.url, holder.secret, 'fake/video') }
}

/** Runs something while the vendor's new videos begin with this status. */
async function withInitialStatus(status: 'processing' | 'failed', run: () => Promise<void>): Promise<void> {
  vendor.setInitialStatus(status)
  try {
    await run()
  } finally {
    vendor.setInitialStatus('completed')
  }
}

const videoOf = (taskId: string) => {
  const video = vendor.videos.find(({ key }) => key === taskId)
  if (!video) throw new Error(`the vendor has no video of ${taskId}`)
  return video
}

async function historyOf(accountId: string): Promise<unknown[]> {
  const { rows } = await world.pool.query<{ body: Buffer }>('SELECT body FROM history WHERE account_id = $1', [accountId])
  return rows.map(({ body }) => JSON.parse(body.toString()))
}

test('history keeps the request and what became of it', async () => {
  const { holder, client } = await createClient()
  const { id } = await client.create({ prompt: 'A lighthouse.' })
  const { video_url } = await client.pollUntil(id, ['completed'])
  await expect
    .poll(() => historyOf(holder.accountId))
    .toEqual([
      {
        request: { model: 'fake/video', prompt: 'A lighthouse.', duration: null, async: null },
        answer: { id, object: 'video.generation', status: 'completed', duration: 5, video_url },
      },
    ])
  const { rows } = await world.pool.query('SELECT ask, asked FROM task WHERE id = $1', [id])
  expect(rows, 'the task itself forgets what was asked').toEqual([{ ask: null, asked: null }])
})

test('and neither it nor the task does where the key keeps no history', async () => {
  const { holder, client } = await createClient({ historyEnabled: false })
  await withInitialStatus('processing', async () => {
    const { id } = await client.create({ prompt: 'A secret.' })
    await client.pollUntil(id, ['processing'])
    const { rows } = await world.pool.query('SELECT asked FROM task WHERE id = $1', [id])
    expect(rows).toEqual([{ asked: null }])
    videoOf(id).status = 'completed'
    await client.pollUntil(id, ['completed'])
  })
  // The history of another key's request is written later, so this one would have been written by now too.
  const open = await addKey(world.pool, holder.accountId)
  const { id } = await videoClient(world.url, open.secret, 'fake/video').create({ prompt: 'No secret.' })
  await expect.poll(() => historyOf(holder.accountId)).toMatchObject([{ answer: { id } }])
})

test('nor where the account keeps none, whatever its key says: no response is stored either', async () => {
  const { holder, client } = await createClient()
  await world.pool.query('UPDATE account SET history_enabled = false WHERE id = $1', [holder.accountId])
  await withInitialStatus('processing', async () => {
    const { id } = await client.create({ prompt: 'A secret.' })
    const { rows } = await world.pool.query('SELECT asked FROM task WHERE id = $1', [id])
    expect(rows).toEqual([{ asked: null }])
    await client.call('POST', `/${id}/cancel`)
  })
  world.vendor.answer((call) => sendJson(call, chatAnswer('A secret too.')))
  const body = JSON.stringify({ model: 'fake/chat', input: 'Hello.' })
  const { status } = await world.send({ path: '/v1/responses', headers: headersOf(holder.secret), body })
  const stored = await world.pool.query('SELECT 1 FROM stored_response WHERE account_id = $1', [holder.accountId])
  expect([status, stored.rowCount]).toEqual([200, 0])
  await world.expectSettledBooks(holder, 2)
})

describe('async: false', () => {
  test('answers when the video is there', async () => {
    const { holder, client } = await createClient()
    const { status, task, headers } = await client.call('POST', '', { model: 'fake/video', prompt: 'A bell.', async: false })
    expect([status, task.status, task.usage?.cost]).toEqual([200, 'completed', 0.1])
    expect([headers.get('x-tollgate-cost'), headers.get('retry-after')]).toEqual(['0.1', null])
    expect((await fetch(task.video_url ?? '')).status).toBe(200)
    await world.expectSettledBooks(holder, 1)
  })

  test('a client that leaves ends nothing', async () => {
    const { holder, client } = await createClient()
    await withInitialStatus('processing', async () => {
      const leaving = new AbortController()
      const abortedRequest = fetch(`${world.url}/v1/videos/generations`, {
        method: 'POST',
        headers: { authorization: `Bearer ${holder.secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'fake/video', prompt: 'A door.', async: false }),
        signal: leaving.signal,
      }).catch((error: Error) => error.name)
      const findProcessingId = async () =>
        (
          await world.pool.query<{ id: string }>('SELECT id FROM task WHERE account_id = $1 AND state = $2', [
            holder.accountId,
            'processing',
          ])
        ).rows[0]?.id
      await expect.poll(findProcessingId, { timeout: 10_000 }).toBeDefined()
      leaving.abort()
      expect(await abortedRequest).toBe('AbortError')
      const task = (await findProcessingId()) ?? ''
      videoOf(task).status = 'completed'
      expect((await client.pollUntil(task, ['completed', 'failed'])).status).toBe('completed')
    })
    await world.expectSettledBooks(holder, 1)
  })
})

describe('Idempotency-Key', () => {
  test('begins one task, whoever asks again, and refuses another request', async () => {
    const { holder, client } = await createClient()
    const headers = { 'idempotency-key': 'one' }
    const body = { model: 'fake/video', prompt: 'A well.' }
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.call('POST', '', body, headers)))
    const good = answers.filter(({ status }) => status === 200)
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true)
    expect(new Set(good.map(({ task }) => task.id)).size).toBe(1)
    const id = good[0]?.task.id ?? ''
    await client.pollUntil(id, ['completed'])
    const repeat = await client.call('POST', '', body, headers)
    expect([repeat.task.id, repeat.task.status]).toEqual([id, 'pending'])
    expect(repeat.headers.get('x-tollgate-replayed')).toMatch(/^req_/)
    expect([repeat.headers.get('x-tollgate-cost'), repeat.headers.get('retry-after')]).toEqual(['0', '5'])
    const waited = await client.call('POST', '', { ...body, async: false }, { 'idempotency-key': 'two' })
    const waitedAgain = await client.call('POST', '', { ...body, async: false }, { 'idempotency-key': 'two' })
    expect(waitedAgain.task).toEqual(waited.task)
    expect([waited, waitedAgain].map(({ headers: answerHeaders }) => answerHeaders.get('x-tollgate-cost'))).toEqual(['0.1', '0'])
    expect([waited, waitedAgain].map(({ headers: answerHeaders }) => answerHeaders.get('retry-after'))).toEqual([null, null])
    expect((await client.call('POST', '', { ...body, prompt: 'Another.' }, headers)).status).toBe(400)
    const { rowCount } = await world.pool.query('SELECT 1 FROM task WHERE account_id = $1', [holder.accountId])
    expect(rowCount).toBe(2)
    // The two videos, the request that was refused because another request used its key, and those that came too early.
    const refused = answers.length - good.length + 1
    await world.expectSettledBooks(holder, 2 + refused)
  })
})

describe('cancelling', () => {
  test('ends a task, tells its vendor, gives the money back, and may be repeated', async () => {
    const { holder, client } = await createClient()
    await withInitialStatus('processing', async () => {
      const { id } = await client.create()
      await client.pollUntil(id, ['processing'])
      const cancelled = await client.call('POST', `/${id}/cancel`)
      expect([cancelled.status, cancelled.task.status, cancelled.task.error]).toEqual([
        200,
        'failed',
        expect.stringMatching(/cancelled/),
      ])
      expect(cancelled.task.usage).toEqual({ video_seconds: 0, cost: 0 })
      expect((await client.call('POST', `/${id}/cancel`)).task).toEqual(cancelled.task)
      await expect.poll(() => videoOf(id).status, { timeout: 10_000 }).toBe('failed')
      expect(videoOf(id).error).toBe('cancelled')
      expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'cancelled', status: 499, charged: 0n })
      await world.expectSettledBooks(holder, 1)
    })
  })

  test('a video that its vendor finishes after that is not charged', async () => {
    const { holder, client } = await createClient()
    await withInitialStatus('processing', async () => {
      const { id } = await client.create()
      await client.pollUntil(id, ['processing'])
      const gate = vendor.gate('poll')
      await gate.reached
      videoOf(id).status = 'completed'
      expect((await client.call('POST', `/${id}/cancel`)).task.status).toBe('failed')
      gate.open()
      await expect.poll(() => vendor.calls.cancel.length, { timeout: 10_000 }).toBeGreaterThan(0)
      await expect.poll(async () => (await world.pool.query('SELECT 1 FROM task WHERE stop_vendor')).rowCount).toBe(0)
      expect(await client.retrieve(id)).toMatchObject({ status: 'failed', usage: { cost: 0 } })
      await world.expectSettledBooks(holder, 1)
    })
  })

  test('before the vendor has answered: it is told when it has', async () => {
    const { holder, client } = await createClient()
    await withInitialStatus('processing', async () => {
      const gate = vendor.gate('submit')
      const { id } = await client.create()
      await gate.reached
      expect((await client.call('POST', `/${id}/cancel`)).task.status).toBe('failed')
      gate.open()
      await expect.poll(() => videoOf(id).status, { timeout: 10_000 }).toBe('failed')
      expect((await client.retrieve(id)).status).toBe('failed')
      await world.expectSettledBooks(holder, 1)
    })
  })
})

test('the limit of a key counts what its tasks hold, and only what they cost in the end', async () => {
  const { holder, client } = await createClient({ limitTotalNano: 10n * SECOND_PRICE_NANO })
  await withInitialStatus('processing', async () => {
    const first = await client.create()
    await client.create()
    expect((await client.call('POST', '', { model: 'fake/video', prompt: 'x' })).status).toBe(429)
    await client.pollUntil(first.id, ['processing'])
    await client.call('POST', `/${first.id}/cancel`)
    const third = await client.create()
    await client.pollUntil(third.id, ['processing'])
    videoOf(third.id).status = 'completed'
    await client.pollUntil(third.id, ['completed'])
  })
  const { rows } = await world.pool.query<{ spent: string; leased: string }>('SELECT spent, leased FROM purse WHERE id = $1', [
    `${holder.keyId}:total`,
  ])
  expect(rows).toEqual([{ spent: String(5n * SECOND_PRICE_NANO), leased: expect.any(String) }])
})

test('while another key has requests under way, what the tasks of a key hold is of its half of the balance', async () => {
  const { holder, client } = await createClient()
  const other = await addKey(world.pool, holder.accountId)
  const releaseAnswers = holdAnswers(world.vendor)
  await withInitialStatus('processing', async () => {
    // Of a balance of 25 seconds, one task holds 10, and another needs 10 more.
    await client.create({ duration: 10 })
    const calls = world.vendor.calls.length
    const running = world.chat(other.secret, { max_tokens: 10 })
    await expect.poll(() => world.vendor.calls.length, { interval: 5 }).toBe(calls + 1)
    const refused = await client.call('POST', '', { model: 'fake/video', prompt: 'x', duration: 10 })
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('half of the balance')])
    releaseAnswers()
    expect((await running).status).toBe(200)
    await client.create({ duration: 10 })
  })
})

test('a key that is revoked and an account that is suspended meanwhile are charged all the same', async () => {
  const { holder, client } = await createClient()
  await withInitialStatus('processing', async () => {
    const { id } = await client.create()
    await client.pollUntil(id, ['processing'])
    await revokeKey(world.pool, holder.keyId)
    await world.pool.query('UPDATE account SET suspended_at = now() WHERE id = $1', [holder.accountId])
    videoOf(id).status = 'completed'
    expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'finished', charged: 5n * SECOND_PRICE_NANO })
  })
})

test('whoever asks at the moment of completion sees one state after the other, and a whole one each time', async () => {
  const { holder, client } = await createClient()
  await withInitialStatus('processing', async () => {
    const { id } = await client.create()
    await client.pollUntil(id, ['processing'])
    const seen: TaskResponse[][] = []
    let isReading = true
    const readers = Array.from({ length: 12 }, async () => {
      const ownReads: TaskResponse[] = []
      seen.push(ownReads)
      while (isReading) ownReads.push(await client.retrieve(id))
    })
    videoOf(id).status = 'completed'
    await client.pollUntil(id, ['completed'])
    isReading = false
    await Promise.all(readers)
    for (const tasks of seen) {
      const states = tasks.map(({ status }) => status)
      expect(states).toEqual([...states].sort().reverse())
      for (const task of tasks)
        expect([task.status, task.video_url !== undefined, task.usage?.cost]).toEqual(
          task.status === 'completed' ? ['completed', true, 0.1] : ['processing', false, undefined],
        )
    }
    expect(new Set(seen.flat().map((task) => task.video_url)).size).toBe(2)
  })
  await world.expectSettledBooks(holder, 1)
})

test('what nobody can ask for any more is removed', async () => {
  const { client } = await createClient()
  const { id } = await client.create()
  await client.pollUntil(id, ['completed'])
  await world.pool.query(`UPDATE task SET expires_at = now() - interval '2 hours' WHERE id = $1`, [id])
  await upkeep(world.pool)
  expect((await world.pool.query('SELECT 1 FROM task WHERE id = $1', [id])).rowCount).toBe(0)
})
