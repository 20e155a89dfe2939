import { afterEach, describe, expect, it } from 'vitest'
import type { JobRunner } from '#lib/host/job-runner'
import { openWebhooks } from '#lib/host/webhooks'
import type { NoticeEvent } from '#lib/services/alerts/notices-ports'
import { sendNotices } from '#lib/services/alerts/send-notices'
import type { EmailMessage } from '#lib/services/mail/mail-ports'
import { createWebhook } from '#lib/services/webhooks/create-webhook'
import { testWebhook } from '#lib/services/webhooks/test-webhook'
import { updateWebhook } from '#lib/services/webhooks/update-webhook'
import { silentLog } from '../fakes/log.ts'
import { startWebhookReceiver } from '../fakes/webhook-receiver.ts'
import { UNIT } from './billing-world.ts'
import { KEYRING } from './console-world.ts'
import {
  addWebhook,
  ctx,
  deliver,
  emitAlert,
  findLatestDelivery,
  openWebhookFixture,
  queue,
  readDeliveryLog,
  sql,
} from './webhook-world.ts'

const fixture = openWebhookFixture()

describe('events', () => {
  it('of a top-up is written with its credit, once, with its money as a decimal string', async () => {
    const { paymentId, session } = await fixture.billing.completePayment(12, fixture.user)
    await fixture.billing.send('checkout.session.completed', session)
    const rows = await readDeliveryLog(fixture)
    expect(rows.map(({ type, state }) => [type, state])).toEqual([['top_up.succeeded', 'pending']])
    const body = JSON.parse(rows[0]?.body ?? '')
    expect(body.data).toEqual({
      entry_id: `top_${paymentId}`,
      payment_id: paymentId,
      amount: '12',
      debt_paid: '0',
      currency: 'usd',
    })
    expect(body.timestamp).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })

  it('of a top-up is not written where the credit is rolled back', async () => {
    const client = await fixture.billing.world.pool.connect()
    await client.query('begin')
    const entry = ['top_rolled_back', fixture.user.accountId, 'top_up', String(UNIT), 'Top-up', 'stripe']
    await client.query(
      'insert into entry (id, account_id, kind, amount_nano, reason, actor) values ($1, $2, $3, $4, $5, $6)',
      entry,
    )
    const inside = await client.query('select 1 from webhook_event where account_id = $1', [fixture.user.accountId])
    await client.query('rollback')
    client.release()
    expect(inside.rowCount).toBe(1)
    expect(await readDeliveryLog(fixture)).toEqual([])
  })

  it('of a failed payment, a low balance and a video are written where they happen', async () => {
    const { session } = await fixture.billing.startPayment(3, fixture.user)
    await fixture.billing.send('checkout.session.async_payment_failed', { ...session, payment_status: 'unpaid' })
    await fixture.billing.world.console.ports.billingAccounts.setLowBalance(fixture.user.accountId, 5n * UNIT)
    await fixture.billing.world.console.ports.billingAccounts.markLowBalances(new Date())
    await sql(
      fixture,
      `insert into task (id, request_id, account_id, key_id, group_id, model_id, endpoint, seconds, pin, hold_nano, keep_history,
                         own_ms, due_at, created_at, expires_at)
       values ($1, $2, $3, 'key', 'grp', 'maker/video', 'videos', 4, '{}', 0, false, 1, now(), now(), now())`,
      [`task_${fixture.user.userId}`, `req_${fixture.user.userId}`, fixture.user.accountId],
    )
    await sql(
      fixture,
      "update task set state = 'completed', finished_at = now(), url = 'x', ask = null, asked = null where account_id = $1",
      [fixture.user.accountId],
    )
    await sql(fixture, "update task set url = 'y' where account_id = $1", [fixture.user.accountId])
    const bodies = (await readDeliveryLog(fixture)).map(({ body }) => JSON.parse(body))
    const data = Object.fromEntries(bodies.map((body) => [body.type, body.data]))
    expect(bodies).toHaveLength(3)
    expect(data['top_up.failed']).toMatchObject({ amount: '3', currency: 'usd' })
    expect(data['balance.low']).toEqual({ balance: '0', threshold: '5' })
    expect(data['video.completed']).toMatchObject({ task_id: `task_${fixture.user.userId}`, model: 'maker/video', seconds: 4 })
  })

  it('of a low balance are one, however often its mail has to be sent', async () => {
    const { ports } = fixture.billing.world.console
    await ports.billingAccounts.setLowBalance(fixture.user.accountId, 5n * UNIT)
    const ids: string[] = []
    const round = async (at: Date, fails: boolean) => {
      await ports.billingAccounts.markLowBalances(at)
      const notify = async (event: NoticeEvent) => {
        // A notice for somebody else counts as sent.
        if (event.accountId !== fixture.user.accountId) return
        ids.push(event.id)
        if (fails) throw new Error('no such address')
      }
      await sendNotices({ ctx: { ...ports, clock: { now: () => at }, notices: { notify } } })
    }
    const at = Date.now()
    for (const [minutes, fails] of [
      [0, true],
      [6, true],
      [12, false],
      [18, false],
    ] as const)
      await round(new Date(at + minutes * 60_000), fails)
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(1)
    expect((await readDeliveryLog(fixture)).map(({ body }) => JSON.parse(body).type)).toEqual(['balance.low'])
  })

  it('go to the endpoints that want them, and are one however often they are told', async () => {
    const other = await addWebhook(fixture, ['balance.low'])
    const stranger = await fixture.billing.world.newUser()
    await addWebhook(fixture, undefined, stranger)
    expect(await emitAlert(fixture, 'the same')).toBe(1)
    expect(await emitAlert(fixture, 'the same')).toBe(0)
    expect(await readDeliveryLog(fixture, other.webhook.id)).toEqual([])
    expect(await sql(fixture, 'select 1 from webhook_event where account_id = $1', [stranger.accountId])).toEqual([])
  })
})

describe('an endpoint', () => {
  it.each([
    ['http://hooks.example.com/'],
    ['https://127.0.0.1/'],
    ['https://[::1]/'],
    ['https://localhost/'],
    ['https://localhost./'],
    ['https://printer.local./'],
    ['https://router.local/'],
    ['https://2130706433/'],
    ['https://user:secret@hooks.example.com/'],
    ['ftp://hooks.example.com/'],
    ['hooks'],
  ])('cannot be %s', async (url) => {
    const refused = createWebhook({ ctx: ctx(fixture), input: { url, description: '', events: ['balance.low'] } })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input', field: 'url' })
  })

  it('is one of ten at most, asked for at once too', async () => {
    const input = { url: 'https://hooks.example.com/', description: '', events: ['balance.low' as const] }
    const creations = await Promise.allSettled(Array.from({ length: 14 }, () => createWebhook({ ctx: ctx(fixture), input })))
    expect(creations.filter(({ status }) => status === 'fulfilled')).toHaveLength(9)
  })

  it('has a secret that is kept sealed', async () => {
    const [row] = await sql(fixture, 'select secret_sealed from webhook_endpoint where id = $1', [fixture.hook.webhook.id])
    expect(row?.secret_sealed.toString('latin1')).not.toContain(fixture.hook.secret.slice(6))
    expect(fixture.hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  })

  it('that fails for three days is switched off, and one that is gone at once; what was on its way is dropped', async () => {
    fixture.receiver.answer = { status: 503, text: '' }
    await emitAlert(fixture, 'first')
    const first = await findLatestDelivery(fixture)
    fixture.clock.at = new Date('2026-11-21T10:00:00.000Z')
    expect(await deliver(fixture, first.id)).toEqual([])
    await emitAlert(fixture, 'waits')
    fixture.clock.at = new Date('2026-11-24T10:00:00.001Z')
    expect(await deliver(fixture, first.id)).toEqual(['failing'])
    expect((await readDeliveryLog(fixture)).map(({ state }) => state)).toEqual(['dropped', 'dropped'])
    const { rows } = { rows: await fixture.billing.world.console.ports.webhooks.list(fixture.user.accountId) }
    expect(rows[0]).toMatchObject({ enabled: false, disabledReason: 'failing' })
    expect(await emitAlert(fixture, 'nobody')).toBe(0)

    const enabledWebhook = await updateWebhook({ ctx: ctx(fixture), input: { id: fixture.hook.webhook.id, enabled: true } })
    expect(enabledWebhook).toMatchObject({ enabled: true, disabledReason: null, failingSince: null })
    fixture.receiver.answer = { status: 410, text: '' }
    await emitAlert(fixture, 'gone')
    expect(await deliver(fixture, (await findLatestDelivery(fixture)).id)).toEqual(['gone'])
  })

  it('that takes something again has not failed', async () => {
    fixture.receiver.answer = { status: 500, text: '' }
    await emitAlert(fixture, 'fails once')
    const { id } = await findLatestDelivery(fixture)
    await deliver(fixture, id)
    fixture.receiver.answer = { status: 204, text: '' }
    await deliver(fixture, id)
    expect(await findLatestDelivery(fixture)).toMatchObject({ state: 'delivered' })
    const [row] = await fixture.billing.world.console.ports.webhooks.list(fixture.user.accountId)
    expect(row?.failingSince).toBeNull()
  })
})

describe('the jobs', () => {
  const mails: EmailMessage[] = []
  let runner: JobRunner | null = null
  afterEach(async () => {
    await runner?.stop()
    runner = null
  })

  async function start(): Promise<void> {
    const { pool } = fixture.billing.world
    const mail = { send: async (one: (typeof mails)[number]) => void mails.push(one) }
    const pageUrl = 'https://gate.example.com/settings/webhooks'
    runner = await openWebhooks({ pool, sealing: KEYRING, post: fixture.post, mail, log: silentLog, pageUrl, upkeep: false })
  }

  it('deliver what happened while the receiver was down, once it is back', async () => {
    const port = Number(new URL(fixture.receiver.url).port)
    await fixture.receiver.close()
    await testWebhook({ ctx: ctx(fixture), input: { id: fixture.hook.webhook.id } })
    await start()
    await expect.poll(async () => (await findLatestDelivery(fixture)).attempts.length, { timeout: 10_000 }).toBe(1)
    expect(await findLatestDelivery(fixture)).toMatchObject({
      state: 'pending',
      attempts: [{ status: null, error: 'The host refused the connection.' }],
    })
    fixture.receiver = await startWebhookReceiver(port)
    await expect.poll(async () => (await findLatestDelivery(fixture)).state, { timeout: 15_000 }).toBe('delivered')
    expect(JSON.parse(fixture.receiver.received[0]?.body ?? '')).toMatchObject({ type: 'webhook.test' })
  })

  it('that were lost are made anew, and the holder of an endpoint that is gone gets a mail', async () => {
    fixture.receiver.answer = { status: 410, text: '' }
    await testWebhook({ ctx: ctx(fixture), input: { id: fixture.hook.webhook.id } })
    const { id } = await findLatestDelivery(fixture)
    await sql(fixture, 'select graphile_worker.remove_job($1)', [id])
    expect(await queue(fixture).requeueLost()).toBe(0)
    await sql(fixture, "update webhook_delivery set next_at = now() - interval '2 minutes' where id = $1", [id])
    expect(await queue(fixture).requeueLost()).toBeGreaterThan(0)
    await start()
    await expect.poll(() => mails.length, { timeout: 10_000 }).toBe(1)
    expect(mails[0]).toMatchObject({ to: fixture.user.email, subject: 'A webhook endpoint was turned off' })
    expect(mails[0]?.text).toContain('410 Gone')
  })

  it('whose job has failed for good, as where their secret could not be read, get another one', async () => {
    await testWebhook({ ctx: ctx(fixture), input: { id: fixture.hook.webhook.id } })
    const { id } = await findLatestDelivery(fixture)
    await sql(fixture, "update webhook_delivery set next_at = now() - interval '2 minutes' where id = $1", [id])
    expect(await queue(fixture).requeueLost()).toBe(0)
    await sql(fixture, 'update graphile_worker._private_jobs set attempts = max_attempts where key = $1', [id])
    expect(await queue(fixture).requeueLost()).toBe(1)
    await start()
    await expect.poll(async () => (await findLatestDelivery(fixture)).state, { timeout: 15_000 }).toBe('delivered')
  })

  it('leave nothing of events that are older than the log, and keep what is still to be tried', async () => {
    await emitAlert(fixture, 'old')
    await deliver(fixture, (await findLatestDelivery(fixture)).id)
    await emitAlert(fixture, 'old and waiting')
    await sql(fixture, "update webhook_event set created_at = now() - interval '40 days' where account_id = $1", [
      fixture.user.accountId,
    ])
    expect(await queue(fixture).sweep(new Date(Date.now() - 30 * 24 * 3600 * 1000))).toBeGreaterThan(0)
    expect((await readDeliveryLog(fixture)).map(({ state }) => state)).toEqual(['pending'])
  })
})
