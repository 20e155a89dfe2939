/** Operators' endpoints that were disabled because they failed, and are enabled again. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { alertList } from '#lib/contracts/operator-alerts'
import { PLATFORM_ACCOUNT_ID } from '#lib/services/alerts/alert-ports'
import type { SignedInUser } from '#lib/services/ports'
import { createWebhook } from '#lib/services/webhooks/create-webhook'
import { createWebhookQueue } from '#lib/store/webhook-queue'
import { type ConsoleWorld, KEYRING, openConsoleWorld, provideConsole } from './console-world.ts'
import { createCaller, type Routes } from './operator-world.ts'

const routes: Routes = {
  alerts: (await import('#app/api/operator/alerts/route')) as never,
  'alert-webhooks': (await import('#app/api/operator/alert-webhooks/route')) as never,
  'alert-webhooks/[id]/enable': (await import('../../app/api/operator/alert-webhooks/[id]/enable/route.ts')) as never,
}

const URL = 'https://hooks.example.com/ops'
const FAILING_MS = 3 * 24 * 3600_000

let world: ConsoleWorld
let operator: SignedInUser
let call: ReturnType<typeof createCaller>
let queue: ReturnType<typeof createWebhookQueue>
beforeAll(async () => {
  world = await openConsoleWorld()
  provideConsole(world.console)
  operator = await world.newUser('operator')
  call = createCaller(world, routes)
  queue = createWebhookQueue(world.pool, KEYRING)
})
afterAll(() => world.close())
beforeEach(() => world.pool.query('delete from webhook_endpoint'))

let events = 0
const emitAlertEvent = () =>
  world.console.ports.webhooks.emit({ accountId: 'house', type: 'alert.fired', source: `event_${++events}`, data: {} })

async function pending(endpoint: string): Promise<string[]> {
  const { rows } = await world.pool.query<{ id: string }>(
    `select id from webhook_delivery where endpoint_id = $1 and state = 'pending'`,
    [endpoint],
  )
  return rows.map(({ id }) => id)
}

/** Fails the pending delivery of an endpoint. Returns the reason if that disabled the endpoint. */
async function failDelivery(endpoint: string, gone = false) {
  const [id = ''] = await pending(endpoint)
  const due = await queue.findDue(id)
  if (!due) throw new Error('nothing is on its way')
  const attempt = { number: due.attempts + 1, at: world.clock.at, tookMs: 1, status: gone ? 410 : 500, error: null, answer: '' }
  return queue.recordAttempt(due, { attempt: attempt, delivered: false, gone, slowMs: null, retryMs: 60_000 }, FAILING_MS)
}

/** Makes an endpoint that was disabled because it accepted nothing for days, or because it said that it is gone. */
async function createDisabledEndpoint(reason: 'failing' | 'gone'): Promise<string> {
  const id = String((await call('POST', 'alert-webhooks', operator, { url: URL })).body.id)
  await emitAlertEvent()
  const since = new Date(world.clock.at.getTime() - FAILING_MS)
  await world.pool.query('update webhook_endpoint set failing_since = $2 where id = $1', [id, since])
  expect(await failDelivery(id, reason === 'gone')).toBe(reason)
  return id
}

const readWebhook = async () => alertList.parse((await call('GET', 'alerts', operator)).body).webhooks[0]
const enable = (id: string) => call('POST', `alert-webhooks/${id}/enable`, operator, {})

it.each(['failing', 'gone'] as const)('what was switched off as %s is turned on again, and told from then on', async (reason) => {
  const id = await createDisabledEndpoint(reason)
  expect(await readWebhook()).toMatchObject({ enabled: false, disabledReason: reason })
  await emitAlertEvent()
  expect(await pending(id)).toEqual([])

  expect(await enable(id)).toMatchObject({ status: 200, body: { id } })
  expect(await readWebhook()).toMatchObject({ enabled: true, disabledReason: null, failingSince: null })
  expect(await pending(id)).toEqual([])
  await emitAlertEvent()
  expect(await pending(id)).toHaveLength(1)
  // Its earlier days of failures are forgotten: one more failure does not disable it.
  expect(await failDelivery(id)).toBe(null)
  expect(await readWebhook()).toMatchObject({ enabled: true, failingSince: world.clock.at.toISOString() })
})

it('of two who turn it on one does, with a line in the log that tells why it was off', async () => {
  const id = await createDisabledEndpoint('failing')
  const results = await Promise.all([enable(id), enable(id)])
  expect(results.map(({ status }) => status).sort()).toEqual([200, 409])
  const { rows } = await world.pool.query(`select * from audit_log where verb = 'alert_webhook.enable' and target_id = $1`, [id])
  expect(rows).toMatchObject([
    {
      actor: operator.email,
      before: { url: URL, enabled: false, disabled_reason: 'failing' },
      after: { url: URL, enabled: true, disabled_reason: null },
    },
  ])
})

it('of what becomes of them the oldest owner is told, not an operator', async () => {
  const { holders } = world.console.ports
  expect(await holders.find(PLATFORM_ACCOUNT_ID)).toBeNull()
  const [owner] = [await world.newUser('owner'), await world.newUser('owner')]
  // Both may have been created within the same millisecond.
  await world.pool.query("update app_user set created_at = created_at - interval '1 day' where email = $1", [owner.email])
  expect(await holders.find(PLATFORM_ACCOUNT_ID)).toMatchObject({ email: owner.email })
  expect(await holders.find(operator.accountId)).toMatchObject({ email: operator.email })
})

it('an endpoint of an account is none of theirs, nor is one that is not there', async () => {
  const holder = await world.newUser()
  const input = { url: 'https://hooks.example.com/theirs', description: '', events: ['balance.low' as const] }
  const { webhook } = await createWebhook({ ctx: world.as(holder), input })
  await world.console.ports.webhooks.update(holder.accountId, webhook.id, { enabled: false })
  for (const id of [webhook.id, 'hook_none']) expect((await enable(id)).status).toBe(404)
  expect((await world.console.ports.webhooks.find(holder.accountId, webhook.id))?.enabled).toBe(false)
})
