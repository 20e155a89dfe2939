import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ApiWorld } from '../fakes/api-world.ts'
import { sendBody, type VideoVendor } from '../fakes/video-vendor.ts'
import { openVideoWorld } from '../fakes/video-world.ts'
import { balanceOf } from '../support/fixtures.ts'
import { lockPurse } from '../support/locks.ts'
import { SECOND_PRICE_NANO, videoClient } from '../support/videos.ts'

let world: ApiWorld
let vendor: VideoVendor
let close = async () => {}

beforeAll(async () => {
  ;({ world, vendor, close } = await openVideoWorld({
    VIDEO_TIMEOUT_MS: '6000',
    VIDEO_SILENCE_MS: '1500',
    VIDEO_WAIT_MS: '700',
    SETTLE_TIMEOUT_MS: '1000',
  }))
  vendor.setInitialStatus('processing')
})

afterAll(() => close())

const createClient = async (balance?: bigint) => {
  const holder = await world.holder({}, balance)
  return { holder, client: videoClient(world.url, holder.secret, 'fake/video') }
}

test('who waits for a video that takes too long gets the task as it stands, and finds it later', async () => {
  const { holder, client } = await createClient()
  const { status, task, headers } = await client.call('POST', '', { model: 'fake/video', prompt: 'A snail.', async: false })
  expect([status, task.status, headers.get('retry-after')]).toEqual([200, 'processing', '5'])
  Object.assign(vendor.videos.find(({ key }) => key === task.id) ?? {}, { status: 'completed' })
  expect((await client.pollUntil(task.id, ['completed', 'failed'])).status).toBe('completed')
  await world.expectSettledBooks(holder, 1)
})

test('a video that never ends is cancelled with its vendor, and nothing is charged', async () => {
  const { holder, client } = await createClient()
  const { id } = await client.create()
  const task = await client.pollUntil(id, ['completed', 'failed'])
  expect(task).toMatchObject({ status: 'failed', error: expect.stringMatching(/too long.*cancelled/), usage: { cost: 0 } })
  await expect.poll(() => vendor.videos.find(({ key }) => key === id)?.error, { timeout: 10_000 }).toBe('cancelled')
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'timed_out', charged: 0n })
  await world.expectSettledBooks(holder, 1)
})

test('a vendor that cannot be asked for too long loses its video', async () => {
  const { holder, client } = await createClient()
  vendor.setBehaviour('poll', (response) => sendBody(response, 500, {}))
  const { id } = await client.create()
  const task = await client.pollUntil(id, ['completed', 'failed'])
  vendor.setBehaviour('poll', null)
  expect(task).toMatchObject({ status: 'failed', error: expect.stringMatching(/could not be asked/) })
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'timed_out', charged: 0n })
  await world.expectSettledBooks(holder, 1)
})

test('a vendor that is busy is waited for; the task stays pending, and can be cancelled', async () => {
  const { holder, client } = await createClient()
  vendor.setBehaviour('submit', (response) => sendBody(response, 429, {}, { 'retry-after': '1' }))
  const calls = vendor.calls.submit.length
  const { id } = await client.create()
  await expect.poll(() => vendor.calls.submit.length, { timeout: 10_000 }).toBeGreaterThan(calls + 1)
  expect((await client.retrieve(id)).status).toBe('pending')
  expect((await balanceOf(world.pool, holder.accountId)).leased).toBeGreaterThan(0n)
  expect((await client.call('POST', `/${id}/cancel`)).task.status).toBe('failed')
  vendor.setBehaviour('submit', null)
  await world.expectSettledBooks(holder, 1)
})

/** Enough that the process keeps some of it leased, and holds without asking the database. */
const RICH = 10_000_000_000n

/** Begins a video whose booking takes longer than its client is kept waiting, and then succeeds after all. */
async function bookAfterTimeout(headers: Record<string, string>) {
  const { holder, client } = await createClient(RICH)
  const warm = await client.create()
  await client.call('POST', `/${warm.id}/cancel`)
  const body = { model: 'fake/video', prompt: 'A glacier.' }
  const lock = await lockPurse(world.databaseUrl, holder.accountId)
  const answer = client.call('POST', '', body, headers)
  await lock.waitUntilBlocked('hold_for_task')
  const refusal = await answer
  expect(refusal.status).toBe(503)
  await lock.release()
  const task = async () =>
    (
      await world.pool.query<{ id: string }>('SELECT id FROM task WHERE account_id = $1 AND id <> $2', [
        holder.accountId,
        warm.id,
      ])
    ).rows[0]?.id
  await expect.poll(task, { timeout: 10_000 }).toBeDefined()
  return { holder, client, body, id: (await task()) ?? '', refusalText: JSON.stringify(refusal) }
}

async function expectCharged(accountId: string, charged: bigint): Promise<void> {
  expect((await balanceOf(world.pool, accountId)).balance).toBe(RICH - charged)
  expect((await world.pool.query('SELECT 1 FROM lease WHERE task_id IS NOT NULL AND purse_id = $1', [accountId])).rowCount).toBe(
    0,
  )
}

test('a booking that nobody was told of ends, and nothing is charged', async () => {
  const { holder, client, id, refusalText } = await bookAfterTimeout({})
  expect(refusalText).toMatch(/Nothing is charged for this request/)
  expect((await client.pollUntil(id, ['completed', 'failed'])).error).toMatch(/could not be delivered/)
  expect((await world.records(holder.accountId, 2)).map(({ outcome }) => outcome)).toEqual(['cancelled', 'undelivered'])
  await expectCharged(holder.accountId, 0n)
})

/** Makes the database refuse the first two task writes that match `condition`, as a busy database would. */
async function failTaskWrites(condition: string) {
  // A sequence keeps its count even if the transaction that used it is rolled back.
  await world.pool.query(`
    CREATE SEQUENCE stumbles;
    CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('stumbles') <= 2 THEN RAISE EXCEPTION 'not now' USING ERRCODE = '40001'; END IF;
      RETURN NEW;
    END $$;
    CREATE TRIGGER stumble BEFORE UPDATE OF state ON task FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION stumble()`)
  return {
    async countTries(): Promise<number> {
      const { rows } = await world.pool.query<{ last_value: string }>('SELECT last_value FROM stumbles')
      return Number(rows[0]?.last_value)
    },
    [Symbol.asyncDispose]: async () => {
      await world.pool.query('DROP TRIGGER stumble ON task; DROP FUNCTION stumble; DROP SEQUENCE stumbles')
    },
  }
}

test('and where the database stumbles over its end, it ends all the same', async () => {
  await using taskFailures = await failTaskWrites(`NEW.state = 'failed' AND NEW.error LIKE '%could not be delivered%'`)
  const { holder, client, id } = await bookAfterTimeout({})
  expect((await client.pollUntil(id, ['completed', 'failed'])).error).toMatch(/could not be delivered/)
  expect(await taskFailures.countTries()).toBe(3)
  await expectCharged(holder.accountId, 0n)
})

test('a vendor that has begun is asked once, though the database stumbles over what it said', async () => {
  await using taskFailures = await failTaskWrites(`NEW.state = 'processing'`)
  const { holder, client } = await createClient()
  const calls = vendor.calls.submit.length
  const { id } = await client.create()
  await client.pollUntil(id, ['processing'])
  expect([await taskFailures.countTries(), vendor.calls.submit.length - calls]).toEqual([3, 1])
  await client.call('POST', `/${id}/cancel`)
  await expect.poll(() => vendor.videos.find(({ key }) => key === id)?.error, { timeout: 10_000 }).toBe('cancelled')
  await world.expectSettledBooks(holder, 1)
})

test('with an Idempotency-Key it runs on: the repeat is told of it', async () => {
  vendor.setInitialStatus('completed')
  const { holder, client, body, id, refusalText } = await bookAfterTimeout({ 'idempotency-key': 'late' })
  expect(refusalText).toMatch(/Send the same request again with the same Idempotency-Key/)
  const repeat = await client.call('POST', '', body, { 'idempotency-key': 'late' })
  expect([repeat.status, repeat.task.id]).toEqual([200, id])
  expect((await client.pollUntil(id, ['completed', 'failed'])).status).toBe('completed')
  vendor.setInitialStatus('processing')
  await expectCharged(holder.accountId, 5n * SECOND_PRICE_NANO)
})
