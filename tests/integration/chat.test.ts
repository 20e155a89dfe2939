import { afterAll, beforeAll, expect, test } from 'vitest'
import { chatAnswer, type FakeVendor, sendJson, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { addAccount, addKey, addModel, balanceOf } from '../support/fixtures.ts'
import { startGateway, type TestGateway, waitUntilModelKnown } from '../support/gateway.ts'

let database: TestDatabase
let gateway: TestGateway
let vendor: FakeVendor

beforeAll(async () => {
  database = await createDatabase()
  vendor = await startFakeVendor()
  gateway = await startGateway({ databaseUrl: database.url })
  await addModel(database.pool, { id: 'fake/chat', baseUrl: vendor.url, upstreamModel: 'upstream-model' })
  const { secret } = await addKey(database.pool, await addAccount(database.pool, 0n))
  await waitUntilModelKnown(gateway.url, secret, 'fake/chat')
})

afterAll(async () => {
  await gateway?.stop()
  await vendor?.[Symbol.asyncDispose]()
  await database?.drop()
})

test('a call is forwarded, charged by its usage, and answered with what it cost', async () => {
  const account = await addAccount(database.pool, 1_000_000_000n)
  const { secret } = await addKey(database.pool, account)
  vendor.answer((call) =>
    sendJson(call, chatAnswer('Hello.', usageOf(1000, 100, { prompt_tokens_details: { cached_tokens: 400 } }))),
  )
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'fake/chat', messages: [{ role: 'user', content: 'Hi' }], unknown_field: { kept: true } }),
  })
  const body = await answer.json()
  expect(answer.status).toBe(200)
  expect(body.model).toBe('fake/chat')
  // 600 tokens at $2.50, 400 at $1.25 and 100 at $10 per million.
  expect(body.usage.cost).toBe(0.003)
  expect(answer.headers.get('x-tollgate-cost')).toBe('0.003')
  expect(answer.headers.get('x-tollgate-balance')).toBe('0.997')
  expect((await balanceOf(database.pool, account)).balance).toBe(997_000_000n)
  expect(vendor.calls.at(-1)?.body).toMatchObject({
    model: 'upstream-model',
    unknown_field: { kept: true },
    max_tokens: expect.any(Number),
  })
})
