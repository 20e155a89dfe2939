import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { Agent } from 'undici'
import { describe, expect, it } from 'vitest'
import { createWebhookPost } from '#lib/host/webhook-post'
import { RETRY_DELAYS_MS } from '#lib/services/webhooks/deliver-webhook'
import { resendDelivery } from '#lib/services/webhooks/resend-delivery'
import { rotateWebhook } from '#lib/services/webhooks/rotate-webhook'
import { updateWebhook } from '#lib/services/webhooks/update-webhook'
import { startWebhookReceiver } from '../fakes/webhook-receiver.ts'
import { lockRows } from '../support/locks.ts'
import { ctx, deliver, emitAlert, findLatestDelivery, openWebhookFixture, readDeliveryLog, sql } from './webhook-world.ts'

const fixture = openWebhookFixture()

describe('a delivery', () => {
  it('is signed so that an independent implementation of Standard Webhooks takes it', async () => {
    await emitAlert(fixture, 'signed')
    const { id, eventId } = await findLatestDelivery(fixture)
    fixture.clock.at = new Date()
    await deliver(fixture, id)
    const [got] = fixture.receiver.received
    const headers = Object.fromEntries(Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]))
    expect(headers['webhook-id']).toBe(eventId)
    expect(new Webhook(fixture.hook.secret).verify(got?.body ?? '', headers)).toMatchObject({
      type: 'spending.alert',
      data: { amount: '1.5' },
    })
    expect(() => new Webhook(fixture.hook.secret).verify(`${got?.body} `, headers)).toThrow()
    expect(() => new Webhook(`whsec_${Buffer.alloc(32, 1).toString('base64')}`).verify(got?.body ?? '', headers)).toThrow()
    expect(await findLatestDelivery(fixture)).toMatchObject({
      state: 'delivered',
      nextAt: null,
      attempts: [{ number: 1, status: 200, answer: 'ok' }],
    })
  })

  it('is signed by both secrets while a new one overlaps the old one, and then by the new one alone', async () => {
    fixture.billing.world.clock.at = new Date()
    fixture.clock.at = new Date()
    const rotated = await rotateWebhook({ ctx: ctx(fixture), input: { id: fixture.hook.webhook.id } })
    expect(rotated.secret).not.toBe(fixture.hook.secret)
    const verifySecrets = async (source: string) => {
      await emitAlert(fixture, source)
      await deliver(fixture, (await findLatestDelivery(fixture)).id)
      const got = fixture.receiver.received.at(-1)
      const headers = Object.fromEntries(Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]))
      return [fixture.hook.secret, rotated.secret].map((secret) => {
        try {
          new Webhook(secret).verify(got?.body ?? '', headers)
          return true
        } catch {
          return false
        }
      })
    }
    expect(await verifySecrets('during')).toEqual([true, true])
    await sql(fixture, "update webhook_endpoint set old_secret_until = now() - interval '1 second' where id = $1", [
      fixture.hook.webhook.id,
    ])
    expect(await verifySecrets('after')).toEqual([false, true])
  })

  it('that fails is tried again after longer and longer pauses, for a day, and then has failed', async () => {
    expect(RETRY_DELAYS_MS.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(24 * 3600 * 1000)
    fixture.receiver.answer = { status: 500, text: `broken\0${'x'.repeat(3000)}` }
    await emitAlert(fixture, 'fails')
    const { id } = await findLatestDelivery(fixture)
    for (let tries = 1; tries <= RETRY_DELAYS_MS.length; tries++) {
      const before = Date.now()
      await deliver(fixture, id)
      const row = await findLatestDelivery(fixture)
      const pause = RETRY_DELAYS_MS[tries - 1] ?? 0
      expect(row).toMatchObject({ state: 'pending' })
      expect(row.attempts).toHaveLength(tries)
      expect(Math.abs(Date.parse(row.nextAt ?? '') - before - pause)).toBeLessThan(10_000)
      const [job] = await sql(fixture, 'select run_at from graphile_worker.jobs where key = $1', [id])
      expect(job?.run_at.toISOString()).toBe(row.nextAt)
    }
    await deliver(fixture, id)
    const last = await findLatestDelivery(fixture)
    expect(last).toMatchObject({ state: 'failed', nextAt: null })
    expect(last.attempts).toHaveLength(RETRY_DELAYS_MS.length + 1)
    expect(last.attempts[0]?.answer).toHaveLength(1023)
    await deliver(fixture, id)
    expect(fixture.receiver.received).toHaveLength(RETRY_DELAYS_MS.length + 1)
  })

  it('does not follow a redirection', async () => {
    const otherReceiver = await startWebhookReceiver()
    fixture.receiver.answer = { status: 302, text: '', location: otherReceiver.url }
    await emitAlert(fixture, 'redirected')
    await deliver(fixture, (await findLatestDelivery(fixture)).id)
    expect(await findLatestDelivery(fixture)).toMatchObject({ state: 'pending', attempts: [{ status: 302 }] })
    expect(otherReceiver.received).toEqual([])
    await otherReceiver.close()
  })

  it('to an address that is not public is refused, whatever the name says', async () => {
    const guarded = createWebhookPost()
    for (const url of [fixture.receiver.url, 'https://169.254.169.254/', 'https://[::1]/', 'https://10.0.0.1/'])
      await expect(guarded.post(url, {}, '{}')).rejects.toThrow('not on the public internet')
    await guarded.close()
    const misresolvingPost = createWebhookPost({
      lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    })
    await expect(misresolvingPost.post('https://hooks.example.com/', {}, '{}')).rejects.toThrow('not on the public internet')
    await misresolvingPost.close()
    expect(fixture.receiver.received).toEqual([])
  })

  it('is not slow because the clock of this machine is set meanwhile', async () => {
    await emitAlert(fixture, 'clock')
    const { id } = await findLatestDelivery(fixture)
    const { post } = fixture
    const setting: typeof post.post = async (...args) => {
      fixture.clock.at = new Date(fixture.clock.at.getTime() + 3_600_000)
      return post.post(...args)
    }
    fixture.post = { ...post, post: setting }
    await deliver(fixture, id).finally(() => {
      fixture.post = post
    })
    const [attempt] = (await findLatestDelivery(fixture)).attempts
    expect(attempt?.tookMs).toBeLessThan(60_000)
    expect(await sql(fixture, 'select slow_until from webhook_endpoint where id = $1', [fixture.hook.webhook.id])).toEqual([
      { slow_until: null },
    ])
  })

  it('to one that is slow is given up', async () => {
    const slow = createServer(() => undefined)
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    const shortTimeoutPost = createWebhookPost({ dispatcher: new Agent(), timeoutMs: 200 })
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`
    await expect(shortTimeoutPost.post(url, {}, '{}')).rejects.toThrow('No answer within 10 seconds.')
    await shortTimeoutPost.close()
    slow.closeAllConnections()
    slow.close()
  })

  it('that two take at once is written down once', async () => {
    await emitAlert(fixture, 'twice')
    const { id } = await findLatestDelivery(fixture)
    await Promise.all([deliver(fixture, id), deliver(fixture, id)])
    expect((await findLatestDelivery(fixture)).attempts).toHaveLength(1)
  })

  it('is sent again under the same event id, and not to an endpoint that is off', async () => {
    await emitAlert(fixture, 'again')
    const first = await findLatestDelivery(fixture)
    await deliver(fixture, first.id)
    await resendDelivery({ ctx: ctx(fixture), input: { id: first.id } })
    const second = await findLatestDelivery(fixture)
    expect([second.eventId, second.id === first.id]).toEqual([first.eventId, false])
    await updateWebhook({ ctx: ctx(fixture), input: { id: fixture.hook.webhook.id, enabled: false } })
    await expect(resendDelivery({ ctx: ctx(fixture), input: { id: first.id } })).rejects.toMatchObject({ code: 'conflict' })
    expect((await findLatestDelivery(fixture)).state).toBe('dropped')
  })

  it('that comes to be while its endpoint is switched off is dropped, and neither kept for ever nor sent when it is on again', async () => {
    // The event's transaction found the endpoint enabled, and commits after it was disabled.
    const client = await fixture.billing.world.pool.connect()
    await client.query('begin')
    await client.query(`select emit_webhook($1, 'spending.alert', 'late', '{}')`, [fixture.user.accountId])
    const input = { id: fixture.hook.webhook.id }
    await updateWebhook({ ctx: ctx(fixture), input: { ...input, enabled: false } })
    await client.query('commit')
    client.release()
    const { id } = await findLatestDelivery(fixture)
    await deliver(fixture, id)
    expect(await findLatestDelivery(fixture)).toMatchObject({ state: 'dropped', nextAt: null })
    await updateWebhook({ ctx: ctx(fixture), input: { ...input, enabled: true } })
    await deliver(fixture, id)
    expect(fixture.receiver.received).toEqual([])
  })

  it('to an endpoint that is gone ends with those that are tried at the same moment, and none of them waits for another', async () => {
    fixture.receiver.answer = { status: 410, text: '' }
    for (let n = 0; n < 8; n++) await emitAlert(fixture, `gone ${n}`)
    const all = (await readDeliveryLog(fixture)).map(({ id }) => id)
    // Each has its answer and is about to record it before the first of them can end the others.
    const lock = await lockRows(fixture.billing.world.url, 'webhook_endpoint where id = $1', [fixture.hook.webhook.id])
    const tries = Promise.allSettled(all.map((id) => deliver(fixture, id)))
    await lock.waitUntilBlockedCount(all.length)
    await lock.release()
    const outcomes = (await tries).map((one) => (one.status === 'fulfilled' ? one.value : [String(one.reason)]))
    expect(outcomes.flat()).toEqual(['gone'])
    expect(fixture.receiver.received).toHaveLength(all.length)
    expect((await readDeliveryLog(fixture)).filter(({ state }) => state !== 'dropped')).toEqual([])
  })
})
