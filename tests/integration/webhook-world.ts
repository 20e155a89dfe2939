/** A console with webhook endpoints that lead to a receiver on this machine. */
import { Agent } from 'undici'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { WebhookEventType, WebhookSecret } from '#lib/contracts/webhooks'
import { webhookEvents } from '#lib/contracts/webhooks'
import { createWebhookPost } from '#lib/host/webhook-post'
import type { SignedInUser } from '#lib/services/ports'
import { createWebhook } from '#lib/services/webhooks/create-webhook'
import { deliverWebhook } from '#lib/services/webhooks/deliver-webhook'
import { listDeliveries } from '#lib/services/webhooks/list-deliveries'
import { createWebhookQueue } from '#lib/store/webhook-queue'
import { startWebhookReceiver, type WebhookReceiver } from '../fakes/webhook-receiver.ts'
import { type BillingWorld, openBillingWorld } from './billing-world.ts'
import { KEYRING } from './console-world.ts'

/** What each test starts with: a receiver, somebody with one endpoint that leads to it, and a clock. */
export interface WebhookFixture {
  billing: BillingWorld
  receiver: WebhookReceiver
  user: SignedInUser
  hook: WebhookSecret
  clock: { at: Date }
  /** Posts without the address guard, which would refuse the receiver. */
  post: ReturnType<typeof createWebhookPost>
}

/** Opens a stage around the tests of the calling file. */
export function openWebhookFixture(): WebhookFixture {
  const fixture = { clock: { at: new Date('2026-11-21T10:00:00.000Z') } } as WebhookFixture
  beforeAll(async () => {
    fixture.billing = await openBillingWorld()
    fixture.post = createWebhookPost({ dispatcher: new Agent() })
  })
  afterAll(async () => {
    await fixture.post.close()
    await fixture.billing.close()
  })
  beforeEach(async () => {
    fixture.receiver = await startWebhookReceiver()
    fixture.user = await fixture.billing.world.newUser()
    fixture.hook = await addWebhook(fixture)
  })
  afterEach(() => fixture.receiver.close())
  return fixture
}

export const ctx = ({ billing, user }: WebhookFixture) => billing.world.as(user)

export const sql = async ({ billing }: WebhookFixture, text: string, values: unknown[] = []) =>
  (await billing.world.pool.query(text, values)).rows

/** Adds an endpoint that leads to the receiver. No form would accept its address. */
export async function addWebhook(
  fixture: WebhookFixture,
  events: readonly WebhookEventType[] = webhookEvents,
  owner: SignedInUser = fixture.user,
): Promise<WebhookSecret> {
  const input = { url: 'https://hooks.example.com/', description: '', events: [...events] }
  const created = await createWebhook({ ctx: fixture.billing.world.as(owner), input })
  await sql(fixture, 'update webhook_endpoint set url = $2 where id = $1', [created.webhook.id, fixture.receiver.url])
  return created
}

export const queue = ({ billing }: WebhookFixture) => createWebhookQueue(billing.world.pool, KEYRING)

/** Makes one attempt of a delivery. Returns why it disabled the endpoint, if it did. */
export async function deliver(fixture: WebhookFixture, id: string): Promise<string[]> {
  const off: string[] = []
  const context = {
    clock: { now: () => fixture.clock.at },
    ticks: () => performance.now(),
    webhookQueue: queue(fixture),
    webhookPost: fixture.post,
    notifyDisabled: async (_: unknown, reason: string) => void off.push(reason),
  }
  await deliverWebhook({ ctx: context, input: { id, patient: false } })
  return off
}

/** What was sent to an endpoint, newest first. */
export const readDeliveryLog = async (fixture: WebhookFixture, id = fixture.hook.webhook.id) =>
  (await listDeliveries({ ctx: ctx(fixture), input: { id, limit: 50 } })).rows

export async function findLatestDelivery(fixture: WebhookFixture) {
  const [row] = await readDeliveryLog(fixture)
  if (!row) throw new Error('nothing was to be delivered')
  return row
}

/** Sends an alert to the account's endpoints. */
export const emitAlert = ({ billing, user }: WebhookFixture, source: string) =>
  billing.world.console.ports.webhooks.emit({
    accountId: user.accountId,
    type: 'spending.alert',
    source,
    data: { amount: '1.5' },
  })
