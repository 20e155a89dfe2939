/** The cases for testing the walls of the console: one for each method of each route in app/api. */
import { randomBytes, randomUUID } from 'node:crypto'
import { createKeyInput } from '#lib/contracts/keys'
import { ID_RANDOM_BYTES, newId } from '#lib/domain/ids'
import { addAlert } from '#lib/services/alerts/add-alert'
import { saveView } from '#lib/services/history/save-view'
import { createKey } from '#lib/services/keys/create-key'
import type { SignedInUser } from '#lib/services/ports'
import { createWebhook } from '#lib/services/webhooks/create-webhook'
import { type ConsoleWorld, NOW } from './console-world.ts'

export interface CaseContext {
  world: ConsoleWorld
  owner: SignedInUser
}

export interface RouteCase {
  /**
   * Who may call. `operator`: people who run the gateway, for every account; support people only read. `guest` has no session,
   * but its origin is checked all the same. `open` says why nothing is required of the caller.
   */
  who: 'session' | 'operator' | 'guest' | { open: string }
  /** Makes something of the owner's, and returns what the address names it by. Nobody else may find it. */
  createOwned?: (context: CaseContext) => Promise<{ params: Record<string, string>; body?: unknown }>
  /** Makes something of the owner's, and returns a text that only the owner's answer contains. */
  createMarker?: (context: CaseContext) => Promise<string>
  /** Why a read shows nothing that belongs to an account. */
  shared?: string
  query?: string
}

let amounts = 0n

/** An amount that no other test uses. */
const uniqueNano = (): bigint => 7_123_456_789n + ++amounts

async function key({ world, owner }: CaseContext): Promise<string> {
  const input = createKeyInput.parse({ name: 'Walls', groupId: 'grp_main' })
  return (await createKey({ ctx: world.as(owner), input })).key.id
}

async function credit({ world, owner }: CaseContext, amountNano: bigint): Promise<string> {
  const reason = `walls ${randomUUID()}`
  const entry = { id: `ent_${randomUUID()}`, accountId: owner.accountId, kind: 'grant' as const, amountNano, reason }
  await world.console.ports.purses.credit({ ...entry, actor: 'test', at: world.clock.at })
  return reason
}

async function payment({ world, owner }: CaseContext): Promise<string> {
  const id = `pay_${randomUUID()}`
  const at = world.clock.at
  const amounts = { amountNano: 1_000_000_000n, amountMinor: 100n, currency: 'usd' }
  await world.console.ports.payments.open({
    id,
    accountId: owner.accountId,
    requestId: randomUUID(),
    ...amounts,
    saveCard: false,
    at,
  })
  return id
}

async function webhook({ world, owner }: CaseContext): Promise<string> {
  const input = { url: `https://hooks.example.com/${randomUUID()}`, description: '', events: ['balance.low' as const] }
  return (await createWebhook({ ctx: world.as(owner), input })).webhook.id
}

async function webhookDelivery(context: CaseContext): Promise<string> {
  const { world, owner } = context
  const id = await webhook(context)
  const event = { accountId: owner.accountId, type: 'webhook.test', source: randomUUID(), data: {} }
  await world.console.ports.webhooks.emit(event, id)
  return (await world.console.ports.webhooks.deliveries(owner.accountId, id, null, 1))[0]?.id ?? ''
}

async function alert({ world, owner }: CaseContext): Promise<string> {
  const input = { keyId: null, period: 'day' as const, amountNano: String(uniqueNano()) }
  return (await addAlert({ ctx: world.as(owner), input })).id
}

async function view({ world, owner }: CaseContext): Promise<string> {
  return (await saveView({ ctx: world.as(owner), input: { name: `Walls ${randomUUID()}`, query: 'status=error' } })).id
}

/** A model that only the owner has used. */
async function usedModel({ world, owner }: CaseContext): Promise<string> {
  const modelId = `walls/${randomUUID()}`
  await world.settle(owner, { at: NOW, modelId })
  return modelId
}

async function session({ world, owner }: CaseContext): Promise<string> {
  const id = `ses_${randomUUID()}`
  const times = { at: world.clock.at, expiresAt: new Date(world.clock.at.getTime() + 3_600_000) }
  const visitor = { address: '203.0.113.9', browser: '', system: '' }
  await world.console.ports.userSessions.open({ id, userId: owner.userId, ...visitor, ...times })
  return id
}

/** A video in progress. */
async function task({ world, owner }: CaseContext): Promise<string> {
  const id = newId('task', NOW.getTime(), randomBytes(ID_RANDOM_BYTES))
  await world.pool.query(
    `insert into task (id, request_id, account_id, key_id, group_id, model_id, endpoint, seconds, pin, hold_nano, keep_history,
                       own_ms, due_at, created_at, expires_at)
     values ($1, $2, $3, 'key_none', 'grp_main', 'small', 'videos.generations', 5, '{}', 0, false, 1, $4, $4, $4)`,
    [id, randomUUID(), owner.accountId, NOW],
  )
  return id
}

const ownKey = (body?: object) => async (context: CaseContext) => ({
  params: { id: await key(context) },
  ...(body ? { body } : {}),
})
const ownWebhook = async (context: CaseContext) => ({ params: { id: await webhook(context) } })

export const CASES: Record<string, RouteCase> = {
  'GET /api/auth/[...nextauth]': { who: { open: 'next-auth, behind its own wall: console-auth.test.ts' } },
  'POST /api/auth/[...nextauth]': { who: { open: 'next-auth, behind its own wall: console-auth.test.ts' } },
  'POST /api/stripe/webhook': { who: { open: 'signed by Stripe: billing-webhook.test.ts' } },
  'GET /api/health': { who: { open: 'says whether the database answers' } },
  ...Object.fromEntries(
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => [
      `${method} /api/[[...nowhere]]`,
      { who: { open: 'there is nothing: tests/e2e/site.spec.ts' } },
    ]),
  ),
  'GET /api/models': { who: { open: 'the catalog is for everybody' } },
  'POST /api/sign-up': { who: 'guest' },
  'GET /api/me': { who: 'session', createMarker: async ({ owner }) => owner.email },
  'GET /api/overview': {
    who: 'session',
    createMarker: usedModel,
  },
  'GET /api/groups': { who: 'session', shared: 'every account may use every group' },
  'GET /api/keys': { who: 'session', createMarker: key },
  'POST /api/keys': { who: 'session' },
  'DELETE /api/keys/[id]': { who: 'session', createOwned: async (context) => ({ params: { id: await key(context) } }) },
  'GET /api/requests': { who: 'session', createMarker: ({ world, owner }) => world.settle(owner, { at: NOW }) },
  'GET /api/requests/[id]': {
    who: 'session',
    createOwned: async ({ world, owner }) => ({ params: { id: await world.settle(owner, { at: NOW }) } }),
  },
  'GET /api/billing': {
    who: 'session',
    async createMarker(context) {
      await credit(context, uniqueNano())
      return String((await context.world.console.ports.purses.sums(context.owner.accountId)).balanceNano)
    },
  },
  'GET /api/billing/transactions': { who: 'session', createMarker: (context) => credit(context, uniqueNano()) },
  'GET /api/billing/payments/[id]': {
    who: 'session',
    createOwned: async (context) => ({ params: { id: await payment(context) } }),
  },
  'POST /api/billing/top-up': { who: 'session' },
  'POST /api/billing/redeem': { who: 'session' },
  'POST /api/billing/low-balance': { who: 'session' },
  'GET /api/billing/alerts': { who: 'session', createMarker: alert },
  'POST /api/billing/alerts': { who: 'session' },
  'DELETE /api/billing/alerts/[id]': {
    who: 'session',
    createOwned: async (context) => ({ params: { id: await alert(context) } }),
  },
  'GET /api/billing/auto-top-up': {
    who: 'session',
    async createMarker(context) {
      await credit(context, uniqueNano())
      return String((await context.world.console.ports.purses.sums(context.owner.accountId)).balanceNano)
    },
  },
  'POST /api/billing/auto-top-up': { who: 'session' },
  'POST /api/billing/card': { who: 'session' },
  'DELETE /api/billing/card': { who: 'session' },
  'POST /api/forgot': { who: 'guest' },
  'POST /api/reset': { who: 'guest' },
  'POST /api/verify': { who: 'guest' },
  'POST /api/history/clear': { who: 'session' },
  'DELETE /api/history/requests/[id]': {
    who: 'session',
    createOwned: async ({ world, owner }) => ({ params: { id: await world.settle(owner, { at: NOW }) } }),
  },
  'GET /api/history/settings': { who: 'session', shared: 'a switch and a number of days: history-retention.test.ts' },
  'POST /api/history/settings': { who: 'session' },
  'GET /api/history/views': { who: 'session', createMarker: view },
  'POST /api/history/views': { who: 'session' },
  'DELETE /api/history/views/[id]': { who: 'session', createOwned: async (context) => ({ params: { id: await view(context) } }) },
  'GET /api/keys/[id]': { who: 'session', createOwned: ownKey() },
  'PATCH /api/keys/[id]': { who: 'session', createOwned: ownKey({ name: 'Walls' }) },
  'POST /api/keys/[id]/rotate': { who: 'session', createOwned: ownKey({ overlap: 'now' }) },
  'POST /api/keys/[id]/end-overlap': { who: 'session', createOwned: ownKey({}) },
  'POST /api/playground/key': { who: 'session' },
  'DELETE /api/playground/key': { who: 'session' },
  'GET /api/playground/figures': {
    who: 'session',
    query: '?request=req_none',
    shared: 'nothing of another account: console-playground.test.ts',
  },
  'GET /api/requests/chart': { who: 'session', shared: 'counts alone: history-filters.test.ts' },
  'POST /api/settings/email': { who: 'session' },
  'DELETE /api/settings/email': { who: 'session' },
  'POST /api/settings/identities/remove': { who: 'session' },
  'POST /api/settings/password': { who: 'session' },
  'POST /api/settings/profile': { who: 'session' },
  'POST /api/settings/second-step': { who: 'session' },
  'POST /api/settings/second-step/codes': { who: 'session' },
  'POST /api/settings/second-step/confirm': { who: 'session' },
  'POST /api/settings/second-step/disable': { who: 'session' },
  'GET /api/settings/security': { who: 'session', createMarker: async ({ owner }) => owner.email },
  'GET /api/settings/sessions': { who: 'session', createMarker: session },
  'DELETE /api/settings/sessions/[id]': {
    who: 'session',
    createOwned: async (context) => ({ params: { id: await session(context) } }),
  },
  'POST /api/settings/sessions/end-others': { who: 'session' },
  'POST /api/settings/verification': { who: 'session' },
  'GET /api/tasks': { who: 'session', createMarker: task },
  'POST /api/tasks/[id]/cancel': {
    who: 'session',
    createOwned: async (context) => ({ params: { id: await task(context) } }),
  },
  'GET /api/usage': { who: 'session', createMarker: usedModel },
  'GET /api/usage/export': { who: 'session', createMarker: usedModel },
  'GET /api/webhooks': { who: 'session', createMarker: webhook },
  'POST /api/webhooks': { who: 'session' },
  'PATCH /api/webhooks/[id]': { who: 'session', createOwned: ownWebhook },
  'DELETE /api/webhooks/[id]': { who: 'session', createOwned: ownWebhook },
  'POST /api/webhooks/[id]/rotate': { who: 'session', createOwned: ownWebhook },
  'POST /api/webhooks/[id]/test': { who: 'session', createOwned: ownWebhook },
  'GET /api/webhooks/[id]/deliveries': { who: 'session', createOwned: ownWebhook },
  'POST /api/webhook-deliveries/[id]/resend': {
    who: 'session',
    createOwned: async (context) => ({ params: { id: await webhookDelivery(context) } }),
  },
  'GET /api/account/mails': { who: 'session', shared: 'three switches: account-data.test.ts' },
  'POST /api/account/mails': { who: 'session' },
  'GET /api/account/closing': { who: 'session', createMarker: async ({ owner }) => owner.email },
  'POST /api/account/close': { who: 'session' },
  'GET /api/account/export': { who: 'session', createMarker: async ({ owner }) => owner.email },
  'GET /api/operator/connections': { who: 'operator' },
  'POST /api/operator/connections': { who: 'operator' },
  'GET /api/operator/connections/[id]': { who: 'operator' },
  'PATCH /api/operator/connections/[id]': { who: 'operator' },
  'DELETE /api/operator/connections/[id]': { who: 'operator' },
  'POST /api/operator/connections/[id]/test': { who: 'operator' },
  'POST /api/operator/connections/[id]/offers': { who: 'operator' },
  'POST /api/operator/connections/[id]/import': { who: 'operator' },
  'GET /api/operator/models': { who: 'operator' },
  'POST /api/operator/models': { who: 'operator' },
  'PATCH /api/operator/models': { who: 'operator' },
  'DELETE /api/operator/models': { who: 'operator' },
  'GET /api/operator/model': { who: 'operator' },
  'POST /api/operator/prices': { who: 'operator' },
  'DELETE /api/operator/prices/[id]': { who: 'operator' },
  'POST /api/operator/deployments': { who: 'operator' },
  'PATCH /api/operator/deployments/[id]': { who: 'operator' },
  'DELETE /api/operator/deployments/[id]': { who: 'operator' },
  'GET /api/operator/groups': { who: 'operator' },
  'POST /api/operator/groups': { who: 'operator' },
  'GET /api/operator/groups/[id]': { who: 'operator' },
  'GET /api/operator/groups/[id]/accounts': { who: 'operator' },
  'PATCH /api/operator/groups/[id]': { who: 'operator' },
  'DELETE /api/operator/groups/[id]': { who: 'operator' },
  'GET /api/operator/alerts': { who: 'operator' },
  'POST /api/operator/alerts': { who: 'operator' },
  'PATCH /api/operator/alerts/[id]': { who: 'operator' },
  'DELETE /api/operator/alerts/[id]': { who: 'operator' },
  'GET /api/operator/alert-events': { who: 'operator' },
  'POST /api/operator/alert-webhooks': { who: 'operator' },
  'DELETE /api/operator/alert-webhooks/[id]': { who: 'operator' },
  'POST /api/operator/alert-webhooks/[id]/enable': { who: 'operator' },
  'POST /api/operator/alert-webhooks/[id]/test': { who: 'operator' },
  'GET /api/operator/balances': { who: 'operator' },
  'PATCH /api/operator/balances/[id]': { who: 'operator' },
  'GET /api/operator/settings': { who: 'operator' },
  'PATCH /api/operator/settings': { who: 'operator' },
  'GET /api/operator/audit': { who: 'operator' },
  'GET /api/operator/accounts': { who: 'operator' },
  'GET /api/operator/accounts/[id]': { who: 'operator' },
  'GET /api/operator/accounts/[id]/usage': { who: 'operator' },
  'GET /api/operator/accounts/[id]/entries': { who: 'operator' },
  'GET /api/operator/accounts/[id]/requests': { who: 'operator' },
  'GET /api/operator/accounts/[id]/request': { who: 'operator' },
  'POST /api/operator/accounts/[id]/grant': { who: 'operator' },
  'POST /api/operator/accounts/[id]/deduct': { who: 'operator' },
  'POST /api/operator/accounts/[id]/suspend': { who: 'operator' },
  'POST /api/operator/accounts/[id]/resume': { who: 'operator' },
  'POST /api/operator/accounts/[id]/revoke-key': { who: 'operator' },
  'POST /api/operator/people/[id]/role': { who: 'operator' },
  'POST /api/operator/people/[id]/sign-out': { who: 'operator' },
  'POST /api/operator/people/[id]/reset-second-step': { who: 'operator' },
  'GET /api/operator/codes': { who: 'operator' },
  'POST /api/operator/codes': { who: 'operator' },
  'DELETE /api/operator/codes/[id]': { who: 'operator' },
  'DELETE /api/operator/codes/[id]/minting': { who: 'operator' },
  'GET /api/operator/traffic': { who: 'operator' },
  'GET /api/operator/traffic/attention': { who: 'operator' },
  'POST /api/operator/deployments/[id]/breaker': { who: 'operator' },
}
