import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { chatAnswer, type FakeVendor, sendJson, startFakeVendor } from '../fakes/vendor.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel, balanceOf } from '../support/fixtures.ts'
import { startGateway, type TestGateway, waitUntilModelKnown } from '../support/gateway.ts'
import { expectBalancedBooks } from '../support/ledger.ts'

const CALLS = 500
const AFFORDABLE_CALLS = 137
const COST = 10_000_000n

let database: TestDatabase
let vendor: FakeVendor
let gateways: TestGateway[]

beforeAll(async () => {
  database = await createDatabase()
  vendor = await startFakeVendor()
  vendor.answer(async (call) => {
    await sleep(20)
    sendJson(call, chatAnswer('ok'))
  })
  const first = await startGateway({ databaseUrl: database.url })
  gateways = [first, await startGateway({ databaseUrl: database.url })]
  // Only requests cost anything, so a hold equals its charge.
  const units = { input: '0', output: '0', request: String(COST * 1_000_000n) }
  await addModel(database.pool, { id: 'fake/per-request', baseUrl: vendor.url, units })
  const { secret } = await addKey(database.pool, await addAccount(database.pool, 0n))
  await Promise.all(gateways.map(({ url }) => waitUntilModelKnown(url, secret, 'fake/per-request')))
})

afterAll(async () => {
  await Promise.all((gateways ?? []).map((gateway) => gateway.stop()))
  await vendor?.[Symbol.asyncDispose]()
  await database?.drop()
})

async function call(gateway: TestGateway, secret: string): Promise<{ status: number; code: string | null; cost: string | null }> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fake/per-request', messages: [{ role: 'user', content: 'Hi' }] }),
  })
  const body = (await answer.json()) as { error?: { code: string } }
  return { status: answer.status, code: body.error?.code ?? null, cost: answer.headers.get('x-tollgate-cost') }
}

async function race(processes: number, keys: number): Promise<void> {
  const account = await addAccount(database.pool, COST * BigInt(AFFORDABLE_CALLS))
  const secrets = await Promise.all(Array.from({ length: keys }, () => addKey(database.pool, account)))
  const callsBefore = vendor.calls.length
  const answers = await Promise.all(
    Array.from({ length: CALLS }, (_, index) =>
      call(gateways[index % processes] as TestGateway, secrets[index % keys]?.secret ?? ''),
    ),
  )
  const accepted = answers.filter((answer) => answer.status === 200)
  // A caller that is refused while the last requests run is told to retry.
  const refused = answers.filter(
    ({ status, code }) => status === 429 && (code === 'insufficient_quota' || code === 'rate_limit_exceeded'),
  )
  expect({ good: accepted.length, refused: refused.length }).toEqual({
    good: AFFORDABLE_CALLS,
    refused: CALLS - AFFORDABLE_CALLS,
  })
  expect(accepted.every((answer) => answer.cost === '0.01')).toBe(true)
  expect(vendor.calls.length - callsBefore).toBe(AFFORDABLE_CALLS)
  expect((await balanceOf(database.pool, account)).balance).toBe(0n)
  await expectBalancedBooks(database.pool)
}

test('of 500 calls at once exactly the 137 that the balance affords succeed, in one process', () => race(1, 1))

test('and across two processes, whose slices do not divide evenly', () => race(2, 1))

test('three times over, because a race that is lost seldom is lost all the same', async () => {
  for (let round = 0; round < 3; round++) await race(2, 1)
})
