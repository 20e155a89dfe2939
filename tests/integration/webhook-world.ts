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
import { type BillingWorld, openBilling } from './billing-world.ts'
import { KEYRING } from './console-world.ts'

/** What each test starts with: a receiver, somebody with one endpoint that leads to it, and a clock. */
export interface Stage {
  billing: BillingWorld
  receiver: WebhookReceiver
  user: SignedInUser
  hook: WebhookSecret
  clock: { at: Date }
  /** Posts without the address guard, which would refuse the receiver. */
  post: ReturnType<typeof createWebhookPost>
}

/** Opens a stage around the tests of the calling file. */
export function openStage(): Stage {
  const stage = { clock: { at: new Date('2026-11-21T10:00:00.000Z') } } as Stage
  beforeAll(async () => {
    stage.billing = await openBilling()
    stage.post = createWebhookPost({ dispatcher: new Agent() })
  })
  afterAll(async () => {
    await stage.post.close()
    await stage.billing.close()
  })
  beforeEach(async () => {
    stage.receiver = await startWebhookReceiver()
    stage.user = await stage.billing.world.newUser()
    stage.hook = await addHook(stage)
  })
  afterEach(() => stage.receiver.close())
  return stage
}

export const ctx = ({ billing, user }: Stage) => billing.world.as(user)

export const sql = async ({ billing }: Stage, text: string, values: unknown[] = []) =>
  (await billing.world.pool.query(text, values)).rows

/** Adds an endpoint that leads to the receiver. No form would accept its address. */
export async function addHook(
  stage: Stage,
  events: readonly WebhookEventType[] = webhookEvents,
  owner: SignedInUser = stage.user,
): Promise<WebhookSecret> {
  const input = { url: 'https://hooks.example.com/', description: '', events: [...events] }
  const made = await createWebhook({ ctx: stage.billing.world.as(owner), input })
  await sql(stage, 'update webhook_endpoint set url = $2 where id = $1', [made.webhook.id, stage.receiver.url])
  return made
}

export const queue = ({ billing }: Stage) => createWebhookQueue(billing.world.pool, KEYRING)

/** Makes one attempt of a delivery. Returns why it disabled the endpoint, if it did. */
export async function deliver(stage: Stage, id: string): Promise<string[]> {
  const off: string[] = []
  const context = {
    clock: { now: () => stage.clock.at },
    ticks: () => performance.now(),
    webhookQueue: queue(stage),
    webhookPost: stage.post,
    notifyDisabled: async (_: unknown, reason: string) => void off.push(reason),
  }
  await deliverWebhook({ ctx: context, input: { id, patient: false } })
  return off
}

/** What was sent to an endpoint, newest first. */
export const log = async (stage: Stage, id = stage.hook.webhook.id) =>
  (await listDeliveries({ ctx: ctx(stage), input: { id, limit: 50 } })).rows

export async function latest(stage: Stage) {
  const [row] = await log(stage)
  if (!row) throw new Error('nothing was to be delivered')
  return row
}

/** Sends an alert to the account's endpoints. */
export const emit = ({ billing, user }: Stage, source: string) =>
  billing.world.console.ports.webhooks.emit({
    accountId: user.accountId,
    type: 'spending.alert',
    source,
    data: { amount: '1.5' },
  })
