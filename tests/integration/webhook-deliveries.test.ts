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
import { ctx, deliver, emit, latest, log, openStage, sql } from './webhook-world.ts'

const stage = openStage()

describe('a delivery', () => {
  it('is signed so that an independent implementation of Standard Webhooks takes it', async () => {
    await emit(stage, 'signed')
    const { id, eventId } = await latest(stage)
    stage.clock.at = new Date()
    await deliver(stage, id)
    const [got] = stage.receiver.received
    const headers = Object.fromEntries(Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]))
    expect(headers['webhook-id']).toBe(eventId)
    expect(new Webhook(stage.hook.secret).verify(got?.body ?? '', headers)).toMatchObject({
      type: 'spending.alert',
      data: { amount: '1.5' },
    })
    expect(() => new Webhook(stage.hook.secret).verify(`${got?.body} `, headers)).toThrow()
    expect(() => new Webhook(`whsec_${Buffer.alloc(32, 1).toString('base64')}`).verify(got?.body ?? '', headers)).toThrow()
    expect(await latest(stage)).toMatchObject({
      state: 'delivered',
      nextAt: null,
      attempts: [{ number: 1, status: 200, answer: 'ok' }],
    })
  })

  it('is signed by both secrets while a new one overlaps the old one, and then by the new one alone', async () => {
    stage.billing.world.clock.at = new Date()
    stage.clock.at = new Date()
    const rotated = await rotateWebhook({ ctx: ctx(stage), input: { id: stage.hook.webhook.id } })
    expect(rotated.secret).not.toBe(stage.hook.secret)
    const takes = async (source: string) => {
      await emit(stage, source)
      await deliver(stage, (await latest(stage)).id)
      const got = stage.receiver.received.at(-1)
      const headers = Object.fromEntries(Object.entries(got?.headers ?? {}).map(([name, value]) => [name, String(value)]))
      return [stage.hook.secret, rotated.secret].map((secret) => {
        try {
          new Webhook(secret).verify(got?.body ?? '', headers)
          return true
        } catch {
          return false
        }
      })
    }
    expect(await takes('during')).toEqual([true, true])
    await sql(stage, "update webhook_endpoint set old_secret_until = now() - interval '1 second' where id = $1", [
      stage.hook.webhook.id,
    ])
    expect(await takes('after')).toEqual([false, true])
  })

  it('that fails is tried again after longer and longer pauses, for a day, and then has failed', async () => {
    expect(RETRY_DELAYS_MS.reduce((sum, pause) => sum + pause, 0)).toBeLessThanOrEqual(24 * 3600 * 1000)
    stage.receiver.answer = { status: 500, text: `broken\0${'x'.repeat(3000)}` }
    await emit(stage, 'fails')
    const { id } = await latest(stage)
    for (let tries = 1; tries <= RETRY_DELAYS_MS.length; tries++) {
      const before = Date.now()
      await deliver(stage, id)
      const row = await latest(stage)
      const pause = RETRY_DELAYS_MS[tries - 1] ?? 0
      expect(row).toMatchObject({ state: 'pending' })
      expect(row.attempts).toHaveLength(tries)
      expect(Math.abs(Date.parse(row.nextAt ?? '') - before - pause)).toBeLessThan(10_000)
      const [job] = await sql(stage, 'select run_at from graphile_worker.jobs where key = $1', [id])
      expect(job?.run_at.toISOString()).toBe(row.nextAt)
    }
    await deliver(stage, id)
    const last = await latest(stage)
    expect(last).toMatchObject({ state: 'failed', nextAt: null })
    expect(last.attempts).toHaveLength(RETRY_DELAYS_MS.length + 1)
    expect(last.attempts[0]?.answer).toHaveLength(1023)
    await deliver(stage, id)
    expect(stage.receiver.received).toHaveLength(RETRY_DELAYS_MS.length + 1)
  })

  it('does not follow a redirection', async () => {
    const elsewhere = await startWebhookReceiver()
    stage.receiver.answer = { status: 302, text: '', location: elsewhere.url }
    await emit(stage, 'redirected')
    await deliver(stage, (await latest(stage)).id)
    expect(await latest(stage)).toMatchObject({ state: 'pending', attempts: [{ status: 302 }] })
    expect(elsewhere.received).toEqual([])
    await elsewhere.close()
  })

  it('to an address that is not public is refused, whatever the name says', async () => {
    const guarded = createWebhookPost()
    for (const url of [stage.receiver.url, 'https://169.254.169.254/', 'https://[::1]/', 'https://10.0.0.1/'])
      await expect(guarded.post(url, {}, '{}')).rejects.toThrow('not on the public internet')
    await guarded.close()
    const misled = createWebhookPost({
      lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    })
    await expect(misled.post('https://hooks.example.com/', {}, '{}')).rejects.toThrow('not on the public internet')
    await misled.close()
    expect(stage.receiver.received).toEqual([])
  })

  it('is not slow because the clock of this machine is set meanwhile', async () => {
    await emit(stage, 'clock')
    const { id } = await latest(stage)
    const { post } = stage
    const setting: typeof post.post = async (...asked) => {
      stage.clock.at = new Date(stage.clock.at.getTime() + 3_600_000)
      return post.post(...asked)
    }
    stage.post = { ...post, post: setting }
    await deliver(stage, id).finally(() => {
      stage.post = post
    })
    const [attempt] = (await latest(stage)).attempts
    expect(attempt?.tookMs).toBeLessThan(60_000)
    expect(await sql(stage, 'select slow_until from webhook_endpoint where id = $1', [stage.hook.webhook.id])).toEqual([
      { slow_until: null },
    ])
  })

  it('to one that is slow is given up', async () => {
    const slow = createServer(() => undefined)
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
    const hasty = createWebhookPost({ dispatcher: new Agent(), timeoutMs: 200 })
    const url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`
    await expect(hasty.post(url, {}, '{}')).rejects.toThrow('No answer within 10 seconds.')
    await hasty.close()
    slow.closeAllConnections()
    slow.close()
  })

  it('that two take at once is written down once', async () => {
    await emit(stage, 'twice')
    const { id } = await latest(stage)
    await Promise.all([deliver(stage, id), deliver(stage, id)])
    expect((await latest(stage)).attempts).toHaveLength(1)
  })

  it('is sent again under the same event id, and not to an endpoint that is off', async () => {
    await emit(stage, 'again')
    const first = await latest(stage)
    await deliver(stage, first.id)
    await resendDelivery({ ctx: ctx(stage), input: { id: first.id } })
    const second = await latest(stage)
    expect([second.eventId, second.id === first.id]).toEqual([first.eventId, false])
    await updateWebhook({ ctx: ctx(stage), input: { id: stage.hook.webhook.id, enabled: false } })
    await expect(resendDelivery({ ctx: ctx(stage), input: { id: first.id } })).rejects.toMatchObject({ code: 'conflict' })
    expect((await latest(stage)).state).toBe('dropped')
  })

  it('that comes to be while its endpoint is switched off is dropped, and neither kept for ever nor sent when it is on again', async () => {
    // The event's transaction found the endpoint enabled, and commits after it was disabled.
    const client = await stage.billing.world.pool.connect()
    await client.query('begin')
    await client.query(`select emit_webhook($1, 'spending.alert', 'late', '{}')`, [stage.user.accountId])
    const input = { id: stage.hook.webhook.id }
    await updateWebhook({ ctx: ctx(stage), input: { ...input, enabled: false } })
    await client.query('commit')
    client.release()
    const { id } = await latest(stage)
    await deliver(stage, id)
    expect(await latest(stage)).toMatchObject({ state: 'dropped', nextAt: null })
    await updateWebhook({ ctx: ctx(stage), input: { ...input, enabled: true } })
    await deliver(stage, id)
    expect(stage.receiver.received).toEqual([])
  })

  it('to an endpoint that is gone ends with those that are tried at the same moment, and none of them waits for another', async () => {
    stage.receiver.answer = { status: 410, text: '' }
    for (let n = 0; n < 8; n++) await emit(stage, `gone ${n}`)
    const all = (await log(stage)).map(({ id }) => id)
    // Each has its answer and is about to record it before the first of them can end the others.
    const lock = await lockRows(stage.billing.world.url, 'webhook_endpoint where id = $1', [stage.hook.webhook.id])
    const tries = Promise.allSettled(all.map((id) => deliver(stage, id)))
    await lock.untilBlockedCount(all.length)
    await lock.release()
    const told = (await tries).map((one) => (one.status === 'fulfilled' ? one.value : [String(one.reason)]))
    expect(told.flat()).toEqual(['gone'])
    expect(stage.receiver.received).toHaveLength(all.length)
    expect((await log(stage)).filter(({ state }) => state !== 'dropped')).toEqual([])
  })
})
