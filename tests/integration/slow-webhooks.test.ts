import { afterEach, describe, expect, it } from 'vitest'
import type { JobRunner } from '#lib/host/job-runner'
import { openWebhooks } from '#lib/host/webhooks'
import type { PostResponse } from '#lib/services/webhooks/webhook-ports'
import { silentLog } from '../fakes/log.ts'
import { KEYRING } from './console-world.ts'
import { addWebhook, emitAlert, openWebhookFixture, queue, readDeliveryLog, sql } from './webhook-world.ts'

const fixture = openWebhookFixture()

/** How many deliveries a process makes at once, and how many of those to slow endpoints. */
const CONCURRENCY = 16
const SLOW_CONCURRENCY = 8

describe('an endpoint that keeps deliveries waiting', () => {
  let runner: JobRunner | null = null
  /** Deliveries that hang until they are released. */
  const pendingResponses: ((answer: PostResponse) => void)[] = []
  const releaseAll = () => {
    for (const end of pendingResponses.splice(0)) end({ status: 200, text: 'late' })
  }
  afterEach(async () => {
    const stopped = runner?.stop()
    const releasing = setInterval(releaseAll, 50)
    await stopped
    clearInterval(releasing)
    runner = null
  })

  /** Starts a process whose clock reads `lateMs`, so that a released delivery seems to have taken that long. */
  async function start(lateMs: () => number): Promise<void> {
    const post = {
      post: (url: string) =>
        url === fixture.receiver.url
          ? new Promise<PostResponse>((resolve) => pendingResponses.push(resolve))
          : Promise.resolve({ status: 200, text: 'ok' }),
    }
    runner = await openWebhooks({
      pool: fixture.billing.world.pool,
      sealing: KEYRING,
      post,
      mail: { send: async () => undefined },
      log: silentLog,
      pageUrl: 'https://gate.example.com/settings/webhooks',
      upkeep: false,
      ticks: lateMs,
    })
  }

  it('has places of its own from then on, and others are delivered to at once', async () => {
    const many = 40
    for (let count = 0; count < many; count++) await emitAlert(fixture, `slow ${count}`)
    let elapsedMs = 0
    await start(() => elapsedMs)
    await expect.poll(() => pendingResponses.length, { timeout: 10_000 }).toBe(CONCURRENCY)

    elapsedMs = 10_000
    releaseAll()
    // Deliveries that already had a job are set aside. New ones are among the slow ones at once.
    await expect.poll(() => pendingResponses.length, { timeout: 10_000 }).toBe(SLOW_CONCURRENCY)
    await emitAlert(fixture, 'one more')
    const countJobsByName = async () =>
      (
        await sql(
          fixture,
          `select j.task_identifier as name, count(*)::int as jobs from graphile_worker.jobs j
             join webhook_delivery d on d.id = j.key where d.endpoint_id = $1 group by 1`,
          [fixture.hook.webhook.id],
        )
      ).map(({ name, jobs }) => [name, jobs])
    await expect.poll(countJobsByName, { timeout: 10_000 }).toEqual([['webhook_slow', many + 1 - CONCURRENCY]])

    // They have waited for long, but none has lost its job.
    await sql(fixture, "update webhook_delivery set next_at = now() - interval '2 minutes' where state = 'pending'")
    expect(await queue(fixture).requeueLost()).toBe(0)

    const other = await fixture.billing.world.newUser()
    const quick = await addWebhook(fixture, undefined, other)
    await sql(fixture, "update webhook_endpoint set url = 'http://127.0.0.1:9/quick' where id = $1", [quick.webhook.id])
    await emitAlert({ ...fixture, user: other }, 'quick')
    const states = async () => (await readDeliveryLog({ ...fixture, user: other }, quick.webhook.id)).map(({ state }) => state)
    await expect.poll(states, { timeout: 5_000 }).toEqual(['delivered'])
    expect(pendingResponses).toHaveLength(SLOW_CONCURRENCY)
  })
})
