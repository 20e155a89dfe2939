import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, expectError, openApiWorld } from '../fakes/api-world.ts'
import { chatAnswer, chatChunk } from '../fakes/vendor.ts'
import { sayBytes, sayText, streamText } from '../fakes/vendor-faults.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** JSON.parse reads it; JSON.stringify cannot write it. */
const deep = '['.repeat(100_000) + ']'.repeat(100_000)

test('a whole answer that is nested too deep to be written is an error, and costs nothing', async () => {
  const holder = await world.holder()
  world.vendor.answer(
    sayText(JSON.stringify({ ...chatAnswer('Hi'), deep: 0 }).replace('"deep":0', `"deep":${deep}`), 'application/json'),
  )
  expectError(await world.chat(holder.secret), { condition: 'vendor_failed' })
  expect(await world.record(holder.accountId)).toMatchObject({ outcome: 'vendor_failed', charged: 0n })
  await world.expectWhole(holder, 1)
})

test('a stream whose history cannot be written takes no other history with it', async () => {
  const call = { index: 0, id: 'call_1', function: { name: 'f', arguments: '{}' }, extra_content: 0 }
  const [bad, good] = [await world.holder(), await world.holder()]
  const choices = [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }]
  const chunk = JSON.stringify({ ...chatChunk(null), choices }).replace('"extra_content":0', `"extra_content":{"x":${deep}}`)
  world.vendor.answer(sayBytes(streamText([chunk, chatChunk(null, 'stop'), '[DONE]'])))
  expect((await world.chat(bad.secret, { stream: true })).status).toBe(200)
  world.vendor.answer(sayText(JSON.stringify(chatAnswer('Hi')), 'application/json'))
  expect((await world.chat(good.secret)).status).toBe(200)
  const kept = async () => {
    const { rows } = await world.pool.query('SELECT 1 FROM history WHERE account_id = $1', [good.accountId])
    return rows.length
  }
  await expect.poll(kept, { timeout: 3000 }).toBe(1)
})
