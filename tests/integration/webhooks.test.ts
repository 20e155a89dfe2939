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
import { addHook, ctx, deliver, emit, latest, log, openStage, queue, sql } from './webhook-world.ts'

const stage = openStage()

describe('events', () => {
  it('of a top-up is written with its credit, once, with its money as a decimal string', async () => {
    const { paymentId, session } = await stage.billing.paid(12, stage.user)
    await stage.billing.send('checkout.session.completed', session)
    const rows = await log(stage)
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
    const client = await stage.billing.world.pool.connect()
    await client.query('begin')
    const entry = ['top_rolled_back', stage.user.accountId, 'top_up', String(UNIT), 'Top-up', 'stripe']
    await client.query(
      'insert into entry (id, account_id, kind, amount_nano, reason, actor) values ($1, $2, $3, $4, $5, $6)',
      entry,
    )
    const inside = await client.query('select 1 from webhook_event where account_id = $1', [stage.user.accountId])
    await client.query('rollback')
    client.release()
    expect(inside.rowCount).toBe(1)
    expect(await log(stage)).toEqual([])
  })

  it('of a failed payment, a low balance and a video are written where they happen', async () => {
    const { session } = await stage.billing.start(3, stage.user)
    await stage.billing.send('checkout.session.async_payment_failed', { ...session, payment_status: 'unpaid' })
    await stage.billing.world.console.ports.billingAccounts.setLowBalance(stage.user.accountId, 5n * UNIT)
    await stage.billing.world.console.ports.billingAccounts.markLowBalances(new Date())
    await sql(
      stage,
      `insert into task (id, request_id, account_id, key_id, group_id, model_id, endpoint, seconds, pin, hold_nano, keep_history,
                         own_ms, due_at, created_at, expires_at)
       values ($1, $2, $3, 'key', 'grp', 'maker/video', 'videos', 4, '{}', 0, false, 1, now(), now(), now())`,
      [`task_${stage.user.userId}`, `req_${stage.user.userId}`, stage.user.accountId],
    )
    await sql(
      stage,
      "update task set state = 'completed', finished_at = now(), url = 'x', ask = null, asked = null where account_id = $1",
      [stage.user.accountId],
    )
    await sql(stage, "update task set url = 'y' where account_id = $1", [stage.user.accountId])
    const bodies = (await log(stage)).map(({ body }) => JSON.parse(body))
    const data = Object.fromEntries(bodies.map((body) => [body.type, body.data]))
    expect(bodies).toHaveLength(3)
    expect(data['top_up.failed']).toMatchObject({ amount: '3', currency: 'usd' })
    expect(data['balance.low']).toEqual({ balance: '0', threshold: '5' })
    expect(data['video.completed']).toMatchObject({ task_id: `task_${stage.user.userId}`, model: 'maker/video', seconds: 4 })
  })

  it('of a low balance are one, however often its mail has to be sent', async () => {
    const { ports } = stage.billing.world.console
    await ports.billingAccounts.setLowBalance(stage.user.accountId, 5n * UNIT)
    const ids: string[] = []
    const round = async (at: Date, fails: boolean) => {
      await ports.billingAccounts.markLowBalances(at)
      const notify = async (event: NoticeEvent) => {
        // A notice for somebody else counts as sent.
        if (event.accountId !== stage.user.accountId) return
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
    expect((await log(stage)).map(({ body }) => JSON.parse(body).type)).toEqual(['balance.low'])
  })

  it('go to the endpoints that want them, and are one however often they are told', async () => {
    const other = await addHook(stage, ['balance.low'])
    const stranger = await stage.billing.world.newUser()
    await addHook(stage, undefined, stranger)
    expect(await emit(stage, 'the same')).toBe(1)
    expect(await emit(stage, 'the same')).toBe(0)
    expect(await log(stage, other.webhook.id)).toEqual([])
    expect(await sql(stage, 'select 1 from webhook_event where account_id = $1', [stranger.accountId])).toEqual([])
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
    const refused = createWebhook({ ctx: ctx(stage), input: { url, description: '', events: ['balance.low'] } })
    await expect(refused).rejects.toMatchObject({ code: 'invalid_input', field: 'url' })
  })

  it('is one of ten at most, asked for at once too', async () => {
    const input = { url: 'https://hooks.example.com/', description: '', events: ['balance.low' as const] }
    const made = await Promise.allSettled(Array.from({ length: 14 }, () => createWebhook({ ctx: ctx(stage), input })))
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(9)
  })

  it('has a secret that is kept sealed', async () => {
    const [row] = await sql(stage, 'select secret_sealed from webhook_endpoint where id = $1', [stage.hook.webhook.id])
    expect(row?.secret_sealed.toString('latin1')).not.toContain(stage.hook.secret.slice(6))
    expect(stage.hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  })

  it('that fails for three days is switched off, and one that is gone at once; what was on its way is dropped', async () => {
    stage.receiver.answer = { status: 503, text: '' }
    await emit(stage, 'first')
    const first = await latest(stage)
    stage.clock.at = new Date('2026-11-21T10:00:00.000Z')
    expect(await deliver(stage, first.id)).toEqual([])
    await emit(stage, 'waits')
    stage.clock.at = new Date('2026-11-24T10:00:00.001Z')
    expect(await deliver(stage, first.id)).toEqual(['failing'])
    expect((await log(stage)).map(({ state }) => state)).toEqual(['dropped', 'dropped'])
    const { rows } = { rows: await stage.billing.world.console.ports.webhooks.list(stage.user.accountId) }
    expect(rows[0]).toMatchObject({ enabled: false, disabledReason: 'failing' })
    expect(await emit(stage, 'nobody')).toBe(0)

    const on = await updateWebhook({ ctx: ctx(stage), input: { id: stage.hook.webhook.id, enabled: true } })
    expect(on).toMatchObject({ enabled: true, disabledReason: null, failingSince: null })
    stage.receiver.answer = { status: 410, text: '' }
    await emit(stage, 'gone')
    expect(await deliver(stage, (await latest(stage)).id)).toEqual(['gone'])
  })

  it('that takes something again has not failed', async () => {
    stage.receiver.answer = { status: 500, text: '' }
    await emit(stage, 'fails once')
    const { id } = await latest(stage)
    await deliver(stage, id)
    stage.receiver.answer = { status: 204, text: '' }
    await deliver(stage, id)
    expect(await latest(stage)).toMatchObject({ state: 'delivered' })
    const [row] = await stage.billing.world.console.ports.webhooks.list(stage.user.accountId)
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
    const { pool } = stage.billing.world
    const mail = { send: async (one: (typeof mails)[number]) => void mails.push(one) }
    const pageUrl = 'https://gate.example.com/settings/webhooks'
    runner = await openWebhooks({ pool, sealing: KEYRING, post: stage.post, mail, log: silentLog, pageUrl, upkeep: false })
  }

  it('deliver what happened while the receiver was down, once it is back', async () => {
    const port = Number(new URL(stage.receiver.url).port)
    await stage.receiver.close()
    await testWebhook({ ctx: ctx(stage), input: { id: stage.hook.webhook.id } })
    await start()
    await expect.poll(async () => (await latest(stage)).attempts.length, { timeout: 10_000 }).toBe(1)
    expect(await latest(stage)).toMatchObject({
      state: 'pending',
      attempts: [{ status: null, error: 'The host refused the connection.' }],
    })
    stage.receiver = await startWebhookReceiver(port)
    await expect.poll(async () => (await latest(stage)).state, { timeout: 15_000 }).toBe('delivered')
    expect(JSON.parse(stage.receiver.received[0]?.body ?? '')).toMatchObject({ type: 'webhook.test' })
  })

  it('that were lost are made anew, and the holder of an endpoint that is gone gets a mail', async () => {
    stage.receiver.answer = { status: 410, text: '' }
    await testWebhook({ ctx: ctx(stage), input: { id: stage.hook.webhook.id } })
    const { id } = await latest(stage)
    await sql(stage, 'select graphile_worker.remove_job($1)', [id])
    expect(await queue(stage).requeueLost()).toBe(0)
    await sql(stage, "update webhook_delivery set next_at = now() - interval '2 minutes' where id = $1", [id])
    expect(await queue(stage).requeueLost()).toBeGreaterThan(0)
    await start()
    await expect.poll(() => mails.length, { timeout: 10_000 }).toBe(1)
    expect(mails[0]).toMatchObject({ to: stage.user.email, subject: 'A webhook endpoint was turned off' })
    expect(mails[0]?.text).toContain('410 Gone')
  })

  it('whose job has failed for good, as where their secret could not be read, get another one', async () => {
    await testWebhook({ ctx: ctx(stage), input: { id: stage.hook.webhook.id } })
    const { id } = await latest(stage)
    await sql(stage, "update webhook_delivery set next_at = now() - interval '2 minutes' where id = $1", [id])
    expect(await queue(stage).requeueLost()).toBe(0)
    await sql(stage, 'update graphile_worker._private_jobs set attempts = max_attempts where key = $1', [id])
    expect(await queue(stage).requeueLost()).toBe(1)
    await start()
    await expect.poll(async () => (await latest(stage)).state, { timeout: 15_000 }).toBe('delivered')
  })

  it('leave nothing of events that are older than the log, and keep what is still to be tried', async () => {
    await emit(stage, 'old')
    await deliver(stage, (await latest(stage)).id)
    await emit(stage, 'old and waiting')
    await sql(stage, "update webhook_event set created_at = now() - interval '40 days' where account_id = $1", [
      stage.user.accountId,
    ])
    expect(await queue(stage).sweep(new Date(Date.now() - 30 * 24 * 3600 * 1000))).toBeGreaterThan(0)
    expect((await log(stage)).map(({ state }) => state)).toEqual(['pending'])
  })
})
