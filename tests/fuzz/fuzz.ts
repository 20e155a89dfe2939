import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { imagesOf, pngOf } from '../fakes/image-vendor.ts'
import { sendSpent, spendBody } from '../fakes/spend.ts'
import { chatAnswer, type FakeVendor, sendJson, sendStream, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { addAccount, addKey, addModel, balanceOf } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { sendRaw } from '../support/raw-client.ts'
import type { FuzzRequest, FuzzWorld } from './request-parts.ts'
import { requestOf } from './requests.ts'
import { type FuzzResult, sendFuzz } from './send.ts'

const CONCURRENCY = 24
const ACCOUNTS = 4
/** A balance that one request can spend completely, and more than all other requests together hold at UNITS. */
const BALANCE = 950_000_000n
const UNITS = { input: '2500000', cached_input: '1250000', output: '10000000' }
/** Fewer than twice the requests in flight, so that places that are not released are soon missed. */
const CONCURRENCY_LIMIT = CONCURRENCY + 8
const MAX_RSS_BYTES = 900 * 1024 * 1024
const MODELS = ['fake/chat', 'fake/reasoner']
const IMAGE_DATA = { b64_json: pngOf().toString('base64') }

export interface FuzzOptions {
  pool: pg.Pool
  databaseUrl: string
  seed: string
  requests: number
  /** The number of the first request. */
  from?: number
  log: (line: string) => void
}

/** The result of a run. */
export interface FuzzReport {
  /** Answers by kind of request and status. */
  table: Map<string, Map<number, number>>
  rssBytes: number[]
  /** Everything that is wrong. Empty after a good run. */
  wrong: string[]
}

interface Holder {
  accountId: string
  secret: string
}

/** Sends random and mutated requests to a gateway process, and checks what they left behind. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { pool } = options
  await using vendor = await startFakeVendor()
  answerWell(vendor)
  await using gateway = await startGateway({
    databaseUrl: options.databaseUrl,
    env: {
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'warn',
      MAX_BODY_BYTES: String(1024 * 1024),
      MAX_CONCURRENCY_PER_KEY: String(CONCURRENCY_LIMIT),
      MAX_CONCURRENCY_PER_ACCOUNT: String(CONCURRENCY_LIMIT),
    },
  })
  const holders: Holder[] = []
  for (let n = 0; n < ACCOUNTS; n++) {
    const accountId = await addAccount(pool, BALANCE)
    const limits = n % 2 === 0 ? {} : { limitTotalNano: BALANCE, limitMonthNano: BALANCE }
    holders.push({ accountId, secret: (await addKey(pool, accountId, limits)).secret })
  }
  for (const id of MODELS)
    await addModel(pool, {
      id,
      connectTimeoutMs: 20_000,
      headersTimeoutMs: 20_000,
      capabilities: id === 'fake/reasoner' ? ['hidden-reasoning'] : [],
      baseUrl: vendor.url,
      upstreamModel: 'upstream',
      units: UNITS,
    })
  await addSpender(pool, vendor)
  await addForms(pool, vendor)
  await sleep(700)
  const world = { seed: options.seed, secrets: holders.map(({ secret }) => secret), models: MODELS }
  const report: FuzzReport = { table: new Map(), rssBytes: [], wrong: [] }
  const costs = await sendAll(options, gateway, vendor, world, report)
  await checkAftermath(pool, gateway, holders, costs, report)
  return report
}

/** Makes a vendor that never fails: any 5xx is the gateway's own. */
function answerWell(vendor: FakeVendor): void {
  let turn = 0
  vendor.answer((call) => {
    // The recorded calls are not needed here, and there are very many.
    vendor.calls.length = 0
    turn++
    if (call.body.model === 'spend') return sendSpent(call)
    if (/\/(transcriptions|translations)$/.test(call.path)) return sendJson(call, { text: 'ok' })
    if (call.path.endsWith('/edits'))
      return sendJson(call, imagesOf(Array.from({ length: Number(call.form?.get('n') ?? 1) }, () => IMAGE_DATA)))
    const usage = turn % 7 === 0 ? null : usageOf(9, 3)
    const choices = Array.from({ length: Number(call.body.n ?? 1) }, (_, index) => ({ ...chatAnswer('ok').choices[0], index }))
    if (call.body.stream === true) sendStream(call, ['a ', 'b \u{1f600}', 'c'], usage)
    else sendJson(call, { ...chatAnswer('ok', usage), choices })
  })
}

/** Adds a model on which any amount can be spent to the nano-dollar: each output token costs one. */
async function addSpender(pool: pg.Pool, vendor: FakeVendor): Promise<void> {
  const units = { input: '0', output: '1000000' }
  const size = { contextWindow: 2_147_483_647, maxOutput: 2_000_000_000 }
  await addModel(pool, { id: 'fake/spend', baseUrl: vendor.url, upstreamModel: 'spend', units, ...size })
}

/** Adds models whose requests are forms. */
async function addForms(pool: pg.Pool, vendor: FakeVendor): Promise<void> {
  const upstream = { baseUrl: vendor.url, upstreamModel: 'upstream' }
  await addModel(pool, { id: 'fake/hears', ...upstream, modality: 'transcription', units: { audio_second: '1000000' } })
  const facts = { images: 2, inputs: 2 }
  await addModel(pool, {
    id: 'fake/edits',
    ...upstream,
    modality: 'image',
    capabilities: ['edits'],
    facts,
    units: { image: '1000000' },
  })
}

/** Sends all requests. Returns the cost that each complete answer named, by request id. */
async function sendAll(
  options: FuzzOptions,
  gateway: TestGateway,
  vendor: FakeVendor,
  world: FuzzWorld,
  report: FuzzReport,
): Promise<Map<string, bigint>> {
  const costs = new Map<string, bigint>()
  const first = options.from ?? 0
  let next = first
  const client = async () => {
    while (next < first + options.requests && report.wrong.length < 20) {
      const index = next++
      const request = requestOf(world, index)
      const result = await sendFuzz(gateway.url, request).catch(
        (error: unknown): FuzzResult => ({ statuses: [0], wrong: `cannot connect: ${String(error)}`, costs: [] }),
      )
      recordResult(report, request, result)
      if (request.kind === 'good')
        result.wrong ??= result.statuses.some((status) => status !== 200) ? 'a good request was refused' : null
      if (result.wrong) report.wrong.push(`${describeRequest(world, request)}\n  ${result.wrong}`)
      for (const [id, cost] of result.costs) costs.set(id, cost)
      if ((index - first) % Math.max(500, Math.floor(options.requests / 20)) !== 0) continue
      report.rssBytes.push(await gateway.rss())
      options.log(`${index - first} requests, ${Math.round((report.rssBytes.at(-1) ?? 0) / 2 ** 20)} MiB`)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, client))
  vendor.calls.length = 0
  return costs
}

function recordResult(report: FuzzReport, { kind, leavesAfterMs }: FuzzRequest, { statuses }: FuzzResult): void {
  const row = report.table.get(leavesAfterMs === null ? kind : 'client leaves') ?? new Map<number, number>()
  report.table.set(leavesAfterMs === null ? kind : 'client leaves', row)
  for (const status of statuses.length === 0 ? [0] : statuses) row.set(status, (row.get(status) ?? 0) + 1)
}

const describeRequest = (world: FuzzWorld, request: FuzzRequest): string =>
  `seed ${world.seed}, request ${request.index} (${request.kind}): ${JSON.stringify(request.bytes.toString('latin1').slice(0, 1500))}`

/** Checks what the run left behind: crashes, books, records, holds, claims, memory. */
async function checkAftermath(
  pool: pg.Pool,
  gateway: TestGateway,
  holders: readonly Holder[],
  costs: ReadonlyMap<string, bigint>,
  report: FuzzReport,
): Promise<void> {
  const { wrong } = report
  // The sandbox takes its time, and some requests continue without their client.
  await sleep(1500)
  if (gateway.log().includes('an unexpected error'))
    wrong.push(`unexpected errors in the log:\n${linesWith(gateway.log(), 'unexpected')}`)
  if (gateway.log().includes('not charged"')) wrong.push(`settlements were refused:\n${linesWith(gateway.log(), 'not charged"')}`)
  const records = await pool.query<{ id: string; charged: string }>(
    'SELECT id, charged_nano AS charged FROM usage_record WHERE charged_nano > 0',
  )
  const charged = new Map(records.rows.map(({ id, charged: nano }) => [id, BigInt(nano)]))
  for (const [id, cost] of costs)
    if ((charged.get(id) ?? 0n) !== cost) wrong.push(`${id} said that it cost ${cost} and was charged ${charged.get(id)}`)
  const claims = await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM idempotency WHERE status IS NULL')
  if (claims.rows[0]?.n !== 0) wrong.push(`${claims.rows[0]?.n} idempotency keys are still claimed`)
  for (const holder of holders) await spendAll(pool, gateway, holder, wrong)
  await expectBalancedBooks(pool).catch((error: unknown) => wrong.push(String(error)))
  const rss = Math.max(...report.rssBytes, await gateway.rss())
  if (rss > MAX_RSS_BYTES) wrong.push(`the process has taken ${Math.round(rss / 2 ** 20)} MiB`)
  const code = await gateway.stop()
  if (code !== 0) wrong.push(`the process ended with ${code}:\n${gateway.log().slice(-3000)}`)
}

/** Holds exactly what is left. It is refused if anything still holds a nano-dollar, in memory or in the books. */
async function spendAll(pool: pg.Pool, gateway: TestGateway, { accountId }: Holder, wrong: string[]): Promise<void> {
  const { balance } = await balanceOf(pool, accountId)
  // A key of its own, because the limits of the other one leave less than the account has.
  const { secret } = await addKey(pool, accountId)
  const headers: [string, string][] = [
    ['authorization', `Bearer ${secret}`],
    ['content-type', 'application/json'],
  ]
  const answer = await sendRaw(gateway.url, { headers, body: JSON.stringify(spendBody(balance)) })
  const left = (await balanceOf(pool, accountId)).balance
  if (answer.status !== 200 || left !== 0n)
    wrong.push(`${accountId}: of ${balance} nano-dollars ${left} cannot be spent: ${answer.text}`)
}

const linesWith = (log: string, text: string): string =>
  log
    .split('\n')
    .filter((line) => line.includes(text))
    .slice(0, 5)
    .join('\n')

/** The table of a report, for people. */
export function tableOf({ table }: FuzzReport): string[] {
  return [...table].map(([kind, row]) => {
    const cells = [...row].sort(([a], [b]) => a - b).map(([status, count]) => `${status || 'none'}: ${count}`)
    return `${kind.padEnd(16)}${cells.join('  ')}`
  })
}
