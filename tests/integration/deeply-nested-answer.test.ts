import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, expectError, openApiWorld } from '../fakes/api-world.ts'
import { chatAnswer } from '../fakes/vendor.ts'
import { respondText } from '../fakes/vendor-faults.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** JSON.parse can read it, but JSON.stringify cannot write it. */
const deep = '['.repeat(100_000) + ']'.repeat(100_000)

test('a whole answer that is nested too deep to be written is an error, and costs nothing', async () => {
  const holder = await world.holder()
  world.vendor.answer(
    respondText(JSON.stringify({ ...chatAnswer('Hi'), deep: 0 }).replace('"deep":0', `"deep":${deep}`), 'application/json'),
  )
  expectError(await world.chat(holder.secret), { condition: 'vendor_failed' })
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
  await world.expectSettledBooks(holder, 1)
})
