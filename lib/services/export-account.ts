import type { Download } from './download.ts'
import type { RequestFilter } from './history-ports.ts'
import { keyRow } from './key-row.ts'
import type { Ctx } from './ports.ts'
import { requestDetail } from './request-detail.ts'
import { tooManyTries } from './too-many-tries.ts'

const ROWS = 200
const EVERYTHING: RequestFilter = {
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

type ExportCtx = Ctx<'clock' | 'limits' | 'keys' | 'entries' | 'requests' | 'billingAccounts' | 'mailWishes' | 'webhooks'>

const line = (type: string, value: object): string =>
  `${JSON.stringify({ type, ...value }, (_name, item: unknown) => (typeof item === 'bigint' ? item.toString() : item))}\n`

async function* transactions({ user, entries }: ExportCtx): AsyncGenerator<string> {
  let before: { at: Date; id: string } | null = null
  for (;;) {
    const rows = await entries.page(user.accountId, before, ROWS)
    for (const entry of rows) yield line('transaction', entry)
    const last = rows.at(-1)
    if (rows.length < ROWS || !last) return
    before = { at: last.createdAt, id: last.id }
  }
}

/** Each request with its receipt and, where it was kept, what was said. */
async function* requestsOf({ user, requests }: ExportCtx): AsyncGenerator<string> {
  let before: string | null = null
  for (;;) {
    const { records, lookedTo } = await requests.page(user.accountId, EVERYTHING, before, ROWS)
    for (const { id } of records) {
      const [whole, kept] = await Promise.all([requests.find(user.accountId, id), requests.history(user.accountId, id)])
      if (whole) yield line('request', requestDetail(whole, kept))
    }
    before = records.length < ROWS ? lookedTo : (records.at(-1)?.id ?? null)
    if (before === null) return
  }
}

async function* lines(ctx: ExportCtx): AsyncGenerator<string> {
  const { accountId, email, name, locale } = ctx.user
  const now = ctx.clock.now()
  const [billing, mails] = await Promise.all([ctx.billingAccounts.find(accountId), ctx.mailWishes.of(accountId)])
  yield line('profile', { accountId, email, name, locale, exportedAt: now, lowBalanceNano: billing.lowBalanceNano, mails })
  for (const key of await ctx.keys.list(accountId)) yield line('key', keyRow(key, undefined, now))
  for (const webhook of await ctx.webhooks.list(accountId)) yield line('webhook', webhook)
  yield* transactions(ctx)
  yield* requestsOf(ctx)
  // A file without this line was cut off.
  yield line('end', {})
}

/**
 * Everything that is kept of an account, without secrets, as lines of JSON: one thing a line, `type` says which; money in
 * whole nano-dollars as a string. Read page by page while it is sent, and no further than somebody takes it. Errors:
 * `rate_limit_exceeded`.
 */
export async function exportAccount({ ctx }: { ctx: ExportCtx }): Promise<Download> {
  const waitMs = await ctx.limits.exportAccount.take(ctx.user.accountId)
  if (waitMs !== null) throw tooManyTries(waitMs)
  const day = ctx.clock.now().toISOString().slice(0, 10)
  const name = `tollgate-${day}.jsonl`
  return { name, type: 'application/x-ndjson; charset=utf-8', chunks: lines(ctx), close: () => undefined }
}
