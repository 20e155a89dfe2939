import type { TimedId } from '#lib/contracts/cursor'
import { keyQuery } from '#lib/contracts/keys'
import { listAlerts } from '../alerts/list-alerts.ts'
import type { Download } from '../download.ts'
import type { RequestFilter } from '../history/history-ports.ts'
import { requestDetail } from '../history/request-detail.ts'
import { listKeys } from '../keys/list-keys.ts'
import type { SessionCtx } from '../ports.ts'
import { createTooManyAttemptsError } from '../sign-in/too-many-attempts.ts'
import { getSecurity } from './get-security.ts'
import { listSessions } from './list-sessions.ts'

const PAGE_ROWS = 200
const NO_FILTER: RequestFilter = {
  from: null,
  to: null,
  models: [],
  keyId: null,
  status: null,
  errorCode: null,
  endpoint: null,
  stream: null,
  minNano: null,
  minTookMs: null,
  search: null,
}

type ExportCtx = SessionCtx<
  | 'clock'
  | 'limits'
  | 'keys'
  | 'usage'
  | 'entries'
  | 'requests'
  | 'histories'
  | 'billingAccounts'
  | 'cards'
  | 'autoTopUps'
  | 'spendingAlerts'
  | 'views'
  | 'emailPreferences'
  | 'webhooks'
  | 'userCredentials'
  | 'oneTimeTokens'
  | 'userSessions'
  | 'secondSteps'
  | 'identities'
  | 'signInSettings'
>

const formatLine = (type: string, value: object): string =>
  `${JSON.stringify({ type, ...value }, (_name, item: unknown) => (typeof item === 'bigint' ? item.toString() : item))}\n`

async function* transactionsOf({ user, entries }: ExportCtx): AsyncGenerator<string> {
  let before: TimedId | null = null
  for (;;) {
    const rows = await entries.page(user.accountId, before, PAGE_ROWS)
    for (const entry of rows) yield formatLine('transaction', entry)
    const last = rows.at(-1)
    if (rows.length < PAGE_ROWS || !last) return
    before = { at: last.createdAt, id: last.id }
  }
}

/** Each request with its receipt and, if it was kept, its content. */
async function* requestsOf({ user, requests }: ExportCtx): AsyncGenerator<string> {
  let before: string | null = null
  for (;;) {
    const { records, lookedTo } = await requests.page(user.accountId, NO_FILTER, before, PAGE_ROWS)
    for (const { id } of records) {
      const [detail, storedHistory] = await Promise.all([requests.find(user.accountId, id), requests.history(user.accountId, id)])
      if (detail) yield formatLine('request', requestDetail(detail, storedHistory))
    }
    before = records.length < PAGE_ROWS ? lookedTo : (records.at(-1)?.id ?? null)
    if (before === null) return
  }
}

/** Stored conversations that can be continued. Each can be megabytes in size. */
async function* responsesOf({ user, histories }: ExportCtx): AsyncGenerator<string> {
  let before: TimedId | null = null
  for (;;) {
    const stored = await histories.nextResponse(user.accountId, before)
    if (stored === null) return
    const { accountId: _, ...response } = stored
    yield formatLine('response', response)
    before = { at: stored.at, id: stored.id }
  }
}

/** How the user signs in and where they are signed in, without secrets. */
async function* signInsOf(ctx: ExportCtx): AsyncGenerator<string> {
  const { emailVerified, newEmail, hasPassword, secondStep, identities } = await getSecurity({ ctx })
  yield formatLine('sign_in', { emailVerified, newEmail, hasPassword, secondStep, identities })
  for (const { id: _, ...session } of (await listSessions({ ctx })).rows) yield formatLine('session', session)
}

async function* paymentSettingsOf({ user: { accountId }, cards, autoTopUps }: ExportCtx): AsyncGenerator<string> {
  const [card, autoTopUp] = await Promise.all([cards.find(accountId), autoTopUps.find(accountId)])
  if (card) {
    const { brand, last4, expMonth, expYear } = card
    yield formatLine('card', { brand, last4, expMonth, expYear })
  }
  if (autoTopUp) yield formatLine('auto_top_up', autoTopUp)
}

async function* keysOf(ctx: ExportCtx): AsyncGenerator<string> {
  let before: string | undefined
  do {
    const { rows, next } = await listKeys({ ctx, input: keyQuery.parse({ limit: PAGE_ROWS, before }) })
    for (const key of rows) yield formatLine('key', key)
    before = next ?? undefined
  } while (before !== undefined)
}

/** Endpoints, each with its deliveries. */
async function* webhooksOf({ user: { accountId }, webhooks }: ExportCtx): AsyncGenerator<string> {
  for (const webhook of await webhooks.list(accountId)) {
    yield formatLine('webhook', webhook)
    let before: TimedId | null = null
    for (;;) {
      const rows = await webhooks.deliveries(accountId, webhook.id, before, PAGE_ROWS)
      for (const { type: event, ...delivery } of rows)
        yield formatLine('webhook_delivery', { webhookId: webhook.id, event, ...delivery })
      const last = rows.at(-1)
      if (rows.length < PAGE_ROWS || !last) break
      before = { at: last.createdAt, id: last.id }
    }
  }
}

async function* exportLines(ctx: ExportCtx): AsyncGenerator<string> {
  const { accountId, userId, email, name, locale } = ctx.user
  const exportedAt = ctx.clock.now()
  const [{ lowBalanceNano }, mails, history] = await Promise.all([
    ctx.billingAccounts.find(accountId),
    ctx.emailPreferences.find(accountId),
    ctx.histories.settings(accountId),
  ])
  yield formatLine('profile', { accountId, email, name, locale, exportedAt, lowBalanceNano, mails, history })
  yield* signInsOf(ctx)
  yield* keysOf(ctx)
  for (const view of await ctx.views.list(userId)) yield formatLine('view', view)
  for (const alert of (await listAlerts({ ctx })).rows) yield formatLine('spending_alert', alert)
  yield* paymentSettingsOf(ctx)
  yield* webhooksOf(ctx)
  yield* transactionsOf(ctx)
  yield* requestsOf(ctx)
  yield* responsesOf(ctx)
  // A file without this line is incomplete.
  yield formatLine('end', {})
}

/**
 * Exports everything stored about an account, without secrets, as JSON lines: one item per line, `type` says which; money in
 * whole nano-dollars as a string. It is read page by page while it is sent, no further than the client reads it. Errors:
 * `rate_limit_exceeded`.
 */
export async function exportAccount({ ctx }: { ctx: ExportCtx }): Promise<Download> {
  const waitMs = await ctx.limits.exportAccount.take(ctx.user.accountId)
  if (waitMs !== null) throw createTooManyAttemptsError(waitMs)
  const day = ctx.clock.now().toISOString().slice(0, 10)
  const name = `tollgate-${day}.jsonl`
  return { name, type: 'application/x-ndjson; charset=utf-8', chunks: exportLines(ctx), close: () => undefined }
}
