import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ApiWorld, openApiWorld } from '../fakes/api-world.ts'
import { chatAnswer, sendJson, sendStream, usageOf } from '../fakes/vendor.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

test.each([false, true])(
  'a request whose Idempotency-Key went to another one while it ran is not charged, nor kept for repeats (stream: %s)',
  async (stream) => {
    const holder = await world.holder()
    world.vendor.answer(async (call) => {
      // As if its process was paused and swept, and the client has sent the request again elsewhere.
      await world.pool.query(`UPDATE idempotency SET request_id = 'req_other', owner = 'proc_other' WHERE account_id = $1`, [
        holder.accountId,
      ])
      if (stream) sendStream(call, ['a'], usageOf(100, 50))
      else sendJson(call, chatAnswer('ok', usageOf(100, 50)))
    })
    const answer = await world.chat(holder.secret, { stream, stream_options: stream ? { include_usage: true } : null }, [
      ['idempotency-key', 'k'],
    ])
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('"cost":0}')
    const record = await world.record(holder.accountId)
    expect(record).toMatchObject({ outcome: 'undelivered', charged: 0n, shortfall: 0n, input: 100n, output: 50n })
    const { rows } = await world.pool.query('SELECT request_id, status FROM idempotency WHERE account_id = $1', [
      holder.accountId,
    ])
    expect(rows).toEqual([{ request_id: 'req_other', status: null }])
    await world.expectSettledBooks(holder, 1)
  },
)

test('in one batch with it, others are charged and kept as ever', async () => {
  const holder = await world.holder()
  world.vendor.answer(async (call) => {
    if (JSON.stringify(call.body.messages).includes('lost'))
      await world.pool.query(`UPDATE idempotency SET request_id = 'req_other' WHERE account_id = $1 AND key = 'lost'`, [
        holder.accountId,
      ])
    sendJson(call, chatAnswer('ok', usageOf(100, 50)))
  })
  const ask = (key: string) =>
    world.chat(holder.secret, { messages: [{ role: 'user', content: key }] }, [['idempotency-key', key]])
  const answers = await Promise.all(['a', 'lost', 'b', 'c'].map(ask))
  expect(answers.map((answer) => answer.header('x-tollgate-cost') === '0')).toEqual([false, true, false, false])
  const again = await ask('a')
  expect([again.header('x-tollgate-replayed'), again.header('x-tollgate-cost')]).toEqual([
    answers[0]?.header('x-request-id'),
    '0',
  ])
  await world.expectSettledBooks(holder, 4)
})
