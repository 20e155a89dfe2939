import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { trafficQuery } from '#lib/contracts/traffic'
import type { Attempt } from '#lib/domain/settlement'
import { getAttention } from '#lib/services/operator/get-attention'
import { getTraffic } from '#lib/services/operator/get-traffic'
import type { SignedInUser } from '#lib/services/ports'
import { createTrafficReads } from '#lib/store/traffic-reads'
import { type Call, chatAnswer, sendJson, sendStream, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { neverRespond } from '../fakes/vendor-faults.ts'
import { createDatabase } from '../support/database.ts'
import { addAccount, addDeployment, addKey, addModel, balanceOf } from '../support/fixtures.ts'
import { freePort, startGateway, type TestGateway, waitUntilModelKnown } from '../support/gateway.ts'
import { Journal } from '../support/journal.ts'
import { expectBalancedBooks } from '../support/ledger.ts'

const CALLS = 1000
const CONCURRENCY = 40
/** The pause of a caller between two calls: on any machine the calls go on while breakers open, cool and probe. */
const PAUSE_MS = 250
const CREDIT = 10_000_000_000n
/** 10 input tokens and 5 output tokens. */
const COST = 75_000n
const FAILURES = 5
const COOL_MS = 200
const MODEL = 'fake/chat'
const OPERATOR: SignedInUser = {
  userId: 'usr_1',
  email: 'op@example.com',
  accountId: 'acc_1',
  role: 'operator',
  name: 'Op',
  sessionEpoch: 0,
  locale: 'en',
}
const PATIENCE = { timeout: 15_000, interval: 100 }

const respondOk = async (call: Call): Promise<void> => {
  await sleep(10)
  if (call.body.stream) sendStream(call, ['All', ' is', ' well'], usageOf(10, 5))
  else sendJson(call, chatAnswer('All is well', usageOf(10, 5)))
}

interface LogLine {
  deployment?: string
  breaker?: string
}

/** What the breaker of a deployment did, according to the log. */
const breakerOf = (gateway: TestGateway, deployment: string): string[] =>
  gateway
    .log()
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as LogLine)
    .flatMap((line) => (line.deployment === deployment && line.breaker ? [line.breaker] : []))

async function breakerMetrics(gateway: TestGateway): Promise<Map<string, number>> {
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  const lines = text.matchAll(/^tollgate_breaker_state\{deployment="(\w+)",model="fake\/chat".*\} (\d)$/gm)
  return new Map([...lines].map(([, id = '', value]) => [id, Number(value)]))
}

test('of three deployments one refuses, one hangs, one is well: of 1,000 calls none fails and none is charged twice', async () => {
  await using database = await createDatabase()
  await using healthyVendor = await startFakeVendor()
  await using hangingVendor = await startFakeVendor()
  healthyVendor.answer(respondOk)
  hangingVendor.answer(neverRespond)
  const port = await freePort()
  const env = { BREAKER_FAILURES: String(FAILURES), BREAKER_COOL_MS: String(COOL_MS), BREAKER_COOL_MOST_MS: '800' }
  await using gateway = await startGateway({ databaseUrl: database.url, env })
  const { pool } = database
  await addModel(pool, { id: MODEL, baseUrl: healthyVendor.url })
  const refusingId = await addDeployment(pool, MODEL, { baseUrl: `http://127.0.0.1:${port}/v1` })
  const hangingId = await addDeployment(pool, MODEL, { baseUrl: hangingVendor.url, headersTimeoutMs: 300 })
  // Once this model is known, so are the deployments.
  await addModel(pool, { id: 'fake/last', baseUrl: healthyVendor.url })
  const account = await addAccount(pool, CREDIT)
  const { secret } = await addKey(pool, account)
  await waitUntilModelKnown(gateway.url, secret, 'fake/last')
  const ctx = { user: OPERATOR, traffic: createTrafficReads(pool), clock: { now: () => new Date() } }

  const journal = new Journal()
  const sendConcurrently = async (calls: number) => {
    let remaining = calls
    const caller = async () => {
      while (remaining-- > 0) {
        const stream = remaining % 2 === 0
        const seen = await journal.call(gateway.url, secret, {
          model: MODEL,
          stream,
          ...(stream ? { stream_options: { include_usage: true } } : {}),
        })
        expect(seen, `call ${journal.results.length}`).toMatchObject({ status: 200, complete: true, costNano: COST })
        await sleep(PAUSE_MS)
      }
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, caller))
  }

  await sendConcurrently(600)
  // The bad ones are skipped, and each failed probe opened them again.
  for (const id of [refusingId, hangingId]) {
    expect(breakerOf(gateway, id).slice(0, 3)).toEqual(['open', 'half_open', 'open'])
    expect(breakerOf(gateway, id)).not.toContain('closed')
  }
  // Requests in flight when it opened, those that opened it, and single probes since: nothing else was sent to it.
  expect(hangingVendor.calls.length).toBeLessThan(CONCURRENCY + 2 * FAILURES + breakerOf(gateway, hangingId).length)
  const metrics = await breakerMetrics(gateway)
  expect([...metrics.values()].filter((value) => value === 0).length).toBe(1)
  expect(metrics.get(refusingId)).toBeGreaterThan(0)
  expect(metrics.get(hangingId)).toBeGreaterThan(0)
  await vi.waitFor(async () => {
    const { deployments, processes } = await getAttention({ ctx })
    expect(processes).toBe(1)
    expect(new Map(deployments.map(({ id, breaker }) => [id, breaker.open + breaker.halfOpen]))).toEqual(
      new Map([
        [refusingId, 1],
        [hangingId, 1],
      ]),
    )
    const failures = new Map(deployments.map(({ id, breaker }) => [id, breaker.failure]))
    expect(failures.get(refusingId)).toEqual({ result: 'unreachable', status: null })
    expect(failures.get(hangingId)).toEqual({ result: 'timed_out', status: null })
  }, PATIENCE)

  hangingVendor.answer(respondOk)
  await using recoveredVendor = await startFakeVendor(port)
  recoveredVendor.answer(respondOk)
  const hungCalls = hangingVendor.calls.length
  // Longer than the longest cool-down.
  await sleep(900)
  await sendConcurrently(CALLS - 600)
  for (const id of [refusingId, hangingId]) expect(breakerOf(gateway, id).slice(-2)).toEqual(['half_open', 'closed'])
  expect([...(await breakerMetrics(gateway)).values()]).toEqual([0, 0, 0])
  expect(recoveredVendor.calls.length).toBeGreaterThan(50)
  expect(hangingVendor.calls.length - hungCalls).toBeGreaterThan(50)

  expect(journal.completed.length).toBe(CALLS)
  await journal.expectBooksMatch(pool, account)
  const { rows } = await pool.query<{ charged_nano: string; trace: Attempt[] }>(
    'SELECT charged_nano, trace FROM usage_record WHERE account_id = $1',
    [account],
  )
  expect(rows.length).toBe(CALLS)
  expect(rows.every(({ charged_nano }) => BigInt(charged_nano) === COST)).toBe(true)
  for (const { trace } of rows) {
    expect(new Set(trace.map(({ deployment }) => deployment)).size, 'never the same one twice').toBe(trace.length)
    expect(trace.map(({ result }) => result === 'answered')).toEqual(trace.map((_, at) => at === trace.length - 1))
  }
  const results = rows.flatMap(({ trace }) => trace.map(({ result }) => result))
  expect(new Set(results)).toEqual(new Set(['answered', 'unreachable', 'timed_out']))

  // The traffic page shows it: calls that failed at both, and no request that failed.
  const countFailed = (id: string) =>
    rows.filter(({ trace }) => trace.some((one) => one.deployment === id && one.result !== 'answered')).length
  const traffic = () => getTraffic({ ctx, input: trafficQuery.parse({ range: '15m', by: 'deployment' }) })
  await vi.waitFor(async () => expect((await traffic()).totals.requests).toBe(CALLS), PATIENCE)
  const { totals, groups } = await traffic()
  expect(totals).toMatchObject({
    ...{ vendorErrors: 0, houseErrors: 0, clientErrors: 0, chargedNano: String(COST * BigInt(CALLS)) },
    attempts: results.length,
    attemptFailures: results.length - CALLS,
    retries: results.length - CALLS,
    inputTokens: 10 * CALLS,
    outputTokens: 5 * CALLS,
  })
  expect(groups.length).toBe(3)
  for (const id of [refusingId, hangingId]) {
    expect(countFailed(id)).toBeGreaterThan(0)
    expect(groups.find((group) => group.id === id)).toMatchObject({
      attemptFailures: countFailed(id),
      breaker: { mode: 'automatic', open: 0, halfOpen: 0 },
    })
  }
  expect(totals.first.p50).toBeGreaterThan(0)
  expect((await balanceOf(pool, account)).balance).toBe(CREDIT - COST * BigInt(CALLS))
  await expectBalancedBooks(pool)
})
