/** Alert rules: each fires once however many processes look, ends, and does not flap. Also how operators are notified. */
import { Webhook } from 'standardwebhooks'
import { Agent } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AlertEvent, type AlertList, alertEventPage, alertList } from '#lib/contracts/operator-alerts'
import { startAlertUpkeep } from '#lib/host/alert-upkeep'
import { createWebhookPost } from '#lib/host/webhook-post'
import type { EmailMessage } from '#lib/services/mail/mail-ports'
import { runAlerts } from '#lib/services/operator/run-alerts'
import type { SignedInUser } from '#lib/services/ports'
import { deliverWebhook } from '#lib/services/webhooks/deliver-webhook'
import { createAlertWatch } from '#lib/store/alert-watch'
import { createWebhookQueue } from '#lib/store/webhook-queue'
import { startWebhookReceiver } from '../fakes/webhook-receiver.ts'
import { type ConsoleWorld, KEYRING, openConsoleWorld, provideConsole } from './console-world.ts'
import { createCaller, type Routes } from './operator-world.ts'

const routes: Routes = {
  alerts: (await import('#app/api/operator/alerts/route')) as never,
  'alerts/[id]': (await import('../../app/api/operator/alerts/[id]/route.ts')) as never,
  'alert-events': (await import('#app/api/operator/alert-events/route')) as never,
  'alert-webhooks': (await import('#app/api/operator/alert-webhooks/route')) as never,
  'alert-webhooks/[id]': (await import('../../app/api/operator/alert-webhooks/[id]/route.ts')) as never,
}

let world: ConsoleWorld
let operator: SignedInUser
let call: ReturnType<typeof createCaller>
const START = new Date()

beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  operator = await world.newUser('operator')
  call = createCaller(world, routes)
  await world.pool.query(
    `insert into process (id, beat_at, started_at, pid, host) values ('proc_1', now() + interval '1 hour', now(), 1, 'here')`,
  )
})
afterAll(() => world.close())
beforeEach(async () => {
  world.clock.at = START
  await world.pool.query('delete from alert_event')
  await world.pool.query('delete from alert_rule')
  await world.pool.query('delete from notice')
  await world.pool.query('delete from webhook_endpoint')
  await world.pool.query('delete from deployment_health')
  await world.pool.query('delete from traffic')
  await world.pool.query('delete from connection_balance')
})

const later = (seconds: number) => {
  world.clock.at = new Date(world.clock.at.getTime() + seconds * 1000)
}
/** Runs four checks at once, as processes of two machines would. */
async function runChecks(): Promise<number> {
  const counts = await Promise.all(
    Array.from({ length: 4 }, () => runAlerts({ ctx: { ...world.console.ports, alertWatch: createAlertWatch(world.pool) } })),
  )
  return counts.reduce((sum, count) => sum + count, 0)
}
const events = async (): Promise<AlertEvent[]> => alertEventPage.parse((await call('GET', 'alert-events', operator)).body).rows
const list = async (): Promise<AlertList> => alertList.parse((await call('GET', 'alerts', operator)).body)
const notices = async (): Promise<{ body: Record<string, unknown> }[]> =>
  (await world.pool.query(`select body from notice where kind = 'operator.alert' order by created_at, id`)).rows

const NOTIFY_FIELDS = { emails: ['Ops@Example.com', 'two@example.com'], webhooks: false, quietMinutes: 10 }
async function rule(about: object): Promise<string> {
  const created = await call('POST', 'alerts', operator, { ...NOTIFY_FIELDS, ...about })
  expect(created.status, JSON.stringify(created.body)).toBe(201)
  return String(created.body.id)
}

const setBreaker = (state: string) =>
  world.pool.query(
    `insert into deployment_health (deployment_id, process_id, state) values ('dep_box', 'proc_1', $1)
     on conflict (deployment_id, process_id) do update set state = excluded.state, at = now()`,
    [state],
  )

/** Writes calls within the minute of the clock, and none before it. */
const calls = async (grain: string, id: string, all: number, failed: number) => {
  await world.pool.query('delete from traffic')
  await world.pool.query(
    `insert into traffic (span, grain, at, id, requests, vendor_errors, attempts, attempt_failures)
     values ('minute', $1, date_trunc('minute', $2::timestamptz), $3, $4, $5, $4, $5)
     on conflict (span, grain, at, id) do update set requests = excluded.requests, vendor_errors = excluded.vendor_errors,
       attempts = excluded.attempts, attempt_failures = excluded.attempt_failures`,
    [grain, world.clock.at, id, all, failed],
  )
}

const setBalance = (amount: string) =>
  world.pool.query(
    `insert into connection_balance (connection_id, asked_nano, asked_currency, asked_at) values ('con_real', $1, 'usd', now())
     on conflict (connection_id) do update set asked_nano = excluded.asked_nano, asked_at = now()`,
    [amount],
  )

interface Case {
  about: object
  name: string
  begin: () => Promise<unknown>
  end: () => Promise<unknown>
  detail: object
}

const CASES: Record<string, Case> = {
  'a breaker of any model': {
    about: { kind: 'breaker', modelId: null },
    name: 'box',
    begin: () => setBreaker('open'),
    end: () => setBreaker('closed'),
    detail: { models: ['small'], deployments: 1 },
  },
  'a breaker of one model': {
    about: { kind: 'breaker', modelId: 'small' },
    name: 'box',
    begin: () => setBreaker('open'),
    end: () => setBreaker('closed'),
    detail: { models: ['small'] },
  },
  'errors of everything': {
    about: { kind: 'errors', scope: 'all', scopeId: null, percent: 12.5, minutes: 5, leastRequests: 10 },
    name: '',
    begin: () => calls('all', '', 100, 13),
    end: () => calls('all', '', 1000, 13),
    detail: { requests: 100, failed: 13, percent: 13 },
  },
  'errors of each model': {
    about: { kind: 'errors', scope: 'model', scopeId: null, percent: 50, minutes: 5, leastRequests: 10 },
    name: 'small',
    begin: () => calls('model', 'small', 10, 6),
    end: () => calls('model', 'small', 100, 6),
    detail: { requests: 10, failed: 6 },
  },
  'errors of one connection': {
    about: { kind: 'errors', scope: 'connection', scopeId: 'con_real', percent: 50, minutes: 5, leastRequests: 10 },
    name: 'real',
    begin: () => calls('connection', 'con_real', 10, 6),
    end: () => calls('connection', 'con_real', 100, 6),
    detail: { requests: 10, failed: 6 },
  },
  'a low balance': {
    about: { kind: 'balance', connectionId: 'con_real', belowNano: '5000000000' },
    name: 'real',
    begin: () => setBalance('4990000000'),
    end: () => setBalance('5000000000'),
    detail: { left: '4.99', currency: 'usd', from: 'vendor' },
  },
}

describe.each(Object.entries(CASES))('%s', (_what, { about, name, begin, end, detail }) => {
  it('fires once though four look at once, ends once, and tells each address of both', async () => {
    await rule(about)
    expect(await runChecks()).toBe(0)
    await begin()
    expect(await runChecks()).toBe(1)
    expect(await runChecks()).toBe(0)
    expect(await events()).toMatchObject([{ name, detail, ended: null, endedAt: null }])
    expect((await list()).rules[0]?.firing).toBe(1)
    await end()
    expect(await runChecks()).toBe(0)
    later(61)
    await end()
    expect(await runChecks()).toBe(1)
    expect(await runChecks()).toBe(0)
    expect(await events()).toMatchObject([{ ended: 'resolved', endedAt: world.clock.at.toISOString() }])
    const sentNotices = (await notices()).map(({ body }) => `${body.state} ${body.to}`)
    expect(sentNotices).toEqual(
      ['fired', 'resolved'].flatMap((state) => [`${state} ops@example.com`, `${state} two@example.com`]),
    )
  })

  it('does not flap: not by being over for a moment, nor again before it was quiet for long enough', async () => {
    await rule(about)
    await begin()
    await runChecks()
    await end()
    await runChecks()
    later(30)
    await begin()
    await runChecks()
    later(45)
    await end()
    expect(await runChecks()).toBe(0)
    expect(await events()).toMatchObject([{ ended: null }])
    later(61)
    await end()
    await runChecks()
    expect(await events()).toMatchObject([{ ended: 'resolved' }])
    later(60)
    await begin()
    expect(await runChecks()).toBe(0)
    later(600)
    await begin()
    expect(await runChecks()).toBe(1)
    expect((await events()).map(({ ended }) => ended)).toEqual([null, 'resolved'])
  })

  it('ends without a word where its rule is switched off, changed, or taken away', async () => {
    const id = await rule(about)
    await begin()
    await runChecks()
    const off = await call('PATCH', `alerts/${id}`, operator, { ...NOTIFY_FIELDS, ...about, version: 1, enabled: false })
    expect(off.status).toBe(200)
    expect(await events()).toMatchObject([{ ended: 'dropped' }])
    expect(await runChecks()).toBe(0)
    expect((await notices()).length).toBe(2)
    await call('PATCH', `alerts/${id}`, operator, { ...NOTIFY_FIELDS, ...about, version: 2, enabled: true })
    expect(await runChecks()).toBe(1)
    expect((await call('DELETE', `alerts/${id}?version=3`, operator)).status).toBe(200)
    expect((await events()).map(({ ended }) => ended)).toEqual(['dropped', 'dropped'])
    expect((await list()).rules).toEqual([])
    expect(await runChecks()).toBe(0)
  })
})

it('too few requests are no error rate, and older ones than its minutes do not count', async () => {
  await rule({ kind: 'errors', scope: 'all', scopeId: null, percent: 50, minutes: 5, leastRequests: 10 })
  await calls('all', '', 9, 9)
  expect(await runChecks()).toBe(0)
  later(-600)
  await calls('all', '', 100, 100)
  later(600)
  expect(await runChecks()).toBe(0)
})

it('what a process says that is gone counts for nothing, nor does what is archived', async () => {
  await rule({ kind: 'breaker', modelId: null })
  await world.pool.query(
    `insert into deployment_health (deployment_id, process_id, state) values ('dep_box', 'proc_gone', 'open')`,
  )
  expect(await runChecks()).toBe(0)
})

it('while a balance cannot be known, nothing begins and nothing ends', async () => {
  await rule({ kind: 'balance', connectionId: null, belowNano: '5000000000' })
  await setBalance('1')
  await runChecks()
  await world.pool.query(`update connection_balance set asked_at = now() - interval '2 hours'`)
  await runChecks()
  later(3600)
  expect(await runChecks()).toBe(0)
  expect(await events()).toMatchObject([{ ended: null }])
})

it('mails what began and what ended, in words, at once', async () => {
  await rule({
    kind: 'errors',
    scope: 'model',
    scopeId: 'small',
    percent: 20,
    minutes: 5,
    leastRequests: 1,
    emails: ['ops@example.com'],
  })
  const mails: EmailMessage[] = []
  const log = { warn: () => undefined }
  const stop = startAlertUpkeep({ ports: world.console.ports, mail: { send: async (mail) => void mails.push(mail) }, log }, 30)
  await calls('model', 'small', 10, 5)
  await vi.waitFor(() => expect(mails).toHaveLength(1), { timeout: 10_000 })
  expect(mails[0]).toMatchObject({ to: 'ops@example.com', subject: 'Too many calls are failing: the model small' })
  expect(mails[0]?.text).toContain('5 of 10 calls failed (50%) within 5 minutes.')
  expect(mails[0]?.text).toContain('http://localhost:3000/operator/alerts')
  await calls('model', 'small', 1000, 5)
  await vi.waitFor(async () => {
    const { rows } = await world.pool.query('select 1 from alert_event where clear_since is not null')
    expect(rows).toHaveLength(1)
  })
  later(61)
  await vi.waitFor(() => expect(mails.map(({ subject }) => subject)[1]).toBe('Calls are succeeding again: the model small'), {
    timeout: 10_000,
  })
  await stop()
  expect(mails).toHaveLength(2)
})

it('a webhook of the operators gets it signed, once for each event', async () => {
  const receiver = await startWebhookReceiver()
  const created = await call('POST', 'alert-webhooks', operator, { url: 'https://hooks.example.com/ops', description: 'Pager' })
  const { id, secret } = created.body as unknown as { id: string; secret: string }
  await world.pool.query('update webhook_endpoint set url = $2 where id = $1', [id, receiver.url])
  await rule({ kind: 'breaker', modelId: null, emails: [], webhooks: true })
  await setBreaker('open')
  await runChecks()
  await runChecks()
  const due = await world.pool.query<{ id: string }>('select id from webhook_delivery where endpoint_id = $1', [id])
  expect(due.rows).toHaveLength(1)
  const post = createWebhookPost({ dispatcher: new Agent() })
  const context = {
    clock: world.console.ports.clock,
    ticks: () => performance.now(),
    webhookQueue: createWebhookQueue(world.pool, KEYRING),
    webhookPost: post,
    notifyDisabled: async () => undefined,
  }
  await deliverWebhook({ ctx: context, input: { id: due.rows[0]?.id ?? '', patient: false } })
  await post.close()
  const [got] = receiver.received
  const sentAt = Number(got?.headers['webhook-timestamp']) * 1000
  vi.useFakeTimers({ now: sentAt, toFake: ['Date'] })
  const body = new Webhook(secret).verify(got?.body ?? '', got?.headers as Record<string, string>)
  vi.useRealTimers()
  expect(body).toMatchObject({ type: 'alert.fired', data: { rule: 'breaker', name: 'box', models: ['small'] } })
  await receiver.close()
  expect((await list()).webhooks).toMatchObject([{ id, description: 'Pager', enabled: true }])
  expect(JSON.stringify(await list())).not.toContain(secret)
  expect((await call('DELETE', `alert-webhooks/${id}`, operator, {})).status).toBe(200)
  expect((await call('DELETE', `alert-webhooks/${id}`, operator, {})).status).toBe(404)
})

describe('refuses', () => {
  const errors = { kind: 'errors', scope: 'all', scopeId: null, percent: 5, minutes: 5, leastRequests: 10 }
  it.each<[string, object, string | undefined]>([
    ['nobody to tell', { kind: 'breaker', modelId: null, emails: [], webhooks: false }, 'emails'],
    ['an address that is none', { kind: 'breaker', modelId: null, emails: ['x@'] }, 'emails.0'],
    ['a header in an address', { kind: 'breaker', modelId: null, emails: ['a@b.co\nBcc: c@d.co'] }, 'emails.0'],
    ['a model that is not there', { kind: 'breaker', modelId: 'none' }, 'modelId'],
    ['a connection that is not there', { kind: 'balance', connectionId: 'none', belowNano: '1' }, 'connectionId'],
    ['an amount that is none', { kind: 'balance', connectionId: null, belowNano: '1.5' }, 'belowNano'],
    ['an amount below zero', { kind: 'balance', connectionId: null, belowNano: '-1' }, 'belowNano'],
    ['a name for everything', { ...errors, scopeId: 'small' }, 'scopeId'],
    ['no percent', { ...errors, percent: 0 }, 'percent'],
    ['more than all', { ...errors, percent: 101 }, 'percent'],
    ['a share that nothing is above', { ...errors, percent: 100 }, 'percent'],
    ['three places', { ...errors, percent: 1.005 }, 'percent'],
    ['hours', { ...errors, minutes: 61 }, 'minutes'],
    ['half a request', { ...errors, leastRequests: 0.5 }, 'leastRequests'],
    ['another scope', { ...errors, scope: 'account' }, 'scope'],
    ['a field of another kind', { kind: 'breaker', modelId: null, percent: 5 }, 'percent'],
    ['no kind', { modelId: null }, 'kind'],
  ])('%s', async (_what, about, field) => {
    const refused = await call('POST', 'alerts', operator, { ...NOTIFY_FIELDS, ...about })
    expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_input', field } } })
    expect((await list()).rules).toEqual([])
  })

  it.each(['http://hooks.example.com', 'https://127.0.0.1/x', 'https://localhost/x', 'https://a:b@hooks.example.com', 'no'])(
    'the endpoint %s',
    async (url) => {
      const refused = await call('POST', 'alert-webhooks', operator, { url })
      expect(refused).toMatchObject({ status: 400, body: { error: { field: 'url' } } })
    },
  )

  it('a change of what somebody else has changed', async () => {
    const id = await rule(errors)
    const change = () => call('PATCH', `alerts/${id}`, operator, { ...NOTIFY_FIELDS, ...errors, version: 1, minutes: 9 })
    expect((await Promise.all([change(), change()])).map(({ status }) => status).sort()).toEqual([200, 409])
    expect((await call('DELETE', `alerts/${id}?version=1`, operator)).status).toBe(409)
    expect((await call('DELETE', 'alerts/alr_none?version=1', operator)).status).toBe(404)
  })
})

it('events are read page by page, newest first', async () => {
  const idOf = (n: number) => `alert_${String(n).padStart(26, '0')}`
  const id = await rule({ kind: 'breaker', modelId: null })
  for (let n = 0; n < 5; n++)
    await world.pool.query(
      `insert into alert_event (id, rule_id, subject, name, kind, detail, fired_at) values ($1, $2, $1, 'x', 'breaker', '{}', now())`,
      [idOf(n), id],
    )
  const first = await call('GET', 'alert-events?limit=3', operator)
  const page = alertEventPage.parse(first.body)
  expect(page.rows.map((row) => row.id)).toEqual([idOf(4), idOf(3), idOf(2)])
  const rest = alertEventPage.parse((await call('GET', `alert-events?limit=3&before=${page.next}`, operator)).body)
  expect(rest).toMatchObject({ rows: [{ id: idOf(1) }, { id: idOf(0) }], next: null })
})
