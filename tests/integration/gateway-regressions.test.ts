import { Agent, request as httpRequest } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { ChangeListener } from '#lib/store/change-listener'
import { type ApiWorld, chatBody, expectError, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { formBody } from '../fakes/form-body.ts'
import { chatAnswer, chatChunk, sendEvent, sendJson, sendStream, startFakeVendor, usageOf } from '../fakes/vendor.ts'
import { neverRespond, respondThen } from '../fakes/vendor-faults.ts'
import { addAccount, addKey, addModel } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { RawConnection } from '../support/raw-client.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld({ MAX_CONCURRENCY_PER_KEY: '2' })
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('a body of millions of wrong items is refused at the first, and does not fill the memory', async () => {
  const holder = await world.holder()
  const items = '0,'.repeat(5_000_000)
  const body = `{"model":"fake/chat","messages":[{"role":"user","content":[${items}0]}]}`
  const answer = await world.send({ headers: headersOf(holder.secret), body })
  expectError(answer, { condition: 'invalid_request', param: 'messages[0].content[0]' })
  expect((await world.chat(holder.secret)).status).toBe(200)
  await world.expectSettledBooks(holder, 2)
})

test('the record of a request that is refused for a field names its model, as JSON and as a form', async () => {
  const holder = await world.holder()
  expectError(await world.chat(holder.secret, { temperature: 9 }), { condition: 'invalid_request', param: 'temperature' })
  const { type, body } = formBody([
    ['model', 'fake/hears'],
    ['temperature', '9'],
    ['file', { filename: 'a.mp3', content: 'ID3\x04 and what follows' }],
  ])
  const headers = headersOf(holder.secret).filter(([name]) => name !== 'content-type')
  const form = { path: '/v1/audio/transcriptions', headers: [...headers, ['content-type', type] as const], body }
  expect((await world.send(form)).status).toBe(400)
  const models = async () =>
    (await world.pool.query('select model_id from usage_record where account_id = $1 order by at', [holder.accountId])).rows
  await expect.poll(models).toEqual([{ model_id: 'fake/chat' }, { model_id: 'fake/hears' }])
})

test('a model can be named without what stands before its first slash, and is recorded by its id', async () => {
  const holder = await world.holder()
  world.vendor.answer((call) => sendJson(call, chatAnswer('x')))
  await addModel(world.pool, { id: 'fake/only-one', baseUrl: world.vendor.url })
  await untilModelKnown(world, 'fake/only-one')
  expect((await world.chat(holder.secret, { model: 'only-one' })).json().model).toBe('fake/only-one')
  const found = await world.send({ method: 'GET', path: '/v1/models/only-one', headers: headersOf(holder.secret) })
  expect(found.json()).toMatchObject({ id: 'fake/only-one', object: 'model' })
  const models = async () =>
    (await world.pool.query('select model_id from usage_record where account_id = $1', [holder.accountId])).rows
  await expect.poll(models).toEqual([{ model_id: 'fake/only-one' }])
  // The sandbox has one of this name too.
  const severalNames = { condition: 'unknown_model', param: 'model', message: /"fake\/chat" or "sandbox\/chat"/ } as const
  expectError(await world.chat(holder.secret, { model: 'chat' }), severalNames)
  expectError(await world.send({ method: 'GET', path: '/v1/models/chat', headers: headersOf(holder.secret) }), severalNames)
})

test.each([true, false])(
  'a price that cannot tell what its vendor takes is found before anyone works, and nothing stays held (stream: %s)',
  async (stream) => {
    const id = `fake/half-priced-${stream}`
    await addModel(world.pool, { id, baseUrl: world.vendor.url })
    await world.pool.query(
      `INSERT INTO price (id, model_id, starts_at, units, vendor_units) SELECT $1, model_id, '2021-01-01', units, '{}' FROM price WHERE model_id = $2`,
      [`prc_${id}`, id],
    )
    await world.pool.query(`INSERT INTO change (topic, ref) VALUES ('catalog', $1)`, [id])
    await untilModelKnown(world, id)
    await sleep(700)
    world.vendor.answer((call) => sendStream(call, ['a'], usageOf(20, 4)))
    const holder = await world.holder()
    const calls = world.vendor.calls.length
    for (let n = 0; n < 3; n++) expectError(await world.chat(holder.secret, { model: id, stream }), { condition: 'internal' })
    expect(world.vendor.calls.length).toBe(calls)
    await world.expectSettledBooks(holder, 3)
  },
)

test('uploads under way count among the requests that a key may have', async () => {
  const holder = await world.holder()
  world.vendor.answer((call) => sendJson(call, chatAnswer('ok')))
  const body = JSON.stringify(chatBody())
  const uploads = await Promise.all([1, 2].map(() => RawConnection.open(world.url)))
  const head = headersOf(holder.secret)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  for (const upload of uploads)
    upload.send(`POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n${head}Content-Length: ${body.length}\r\n\r\n`)
  // Nothing visible tells that both are counted, and a request to find out would itself be counted.
  await sleep(500)
  expectError(await world.chat(holder.secret), { condition: 'too_many_requests', message: /in progress/ })
  for (const upload of uploads) upload.destroy()
  await expect.poll(async () => (await world.chat(holder.secret)).status).toBe(200)
})

const createListener = (receivedChanges: string[]) =>
  new ChangeListener({
    url: world.databaseUrl,
    pool: world.pool,
    warn: () => undefined,
    handlers: {
      onRecall: () => undefined,
      onReturned: () => undefined,
      onChange: (topic, ref) => receivedChanges.push(`${topic} ${ref}`),
    },
  })

test('a process hears of what changed while it started, after it had read the catalog', async () => {
  const receivedChanges: string[] = []
  await world.pool.query(`INSERT INTO change (topic, ref) VALUES ('catalog', 'while starting')`)
  const notifications = createListener(receivedChanges)
  await notifications.start()
  await notifications.stop()
  expect(receivedChanges).toContain('catalog while starting')
})

test('a process that was paused for longer than a minute hears of every change since', async () => {
  const receivedChanges: string[] = []
  const notifications = createListener(receivedChanges)
  await notifications.start()
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 120_000)
  try {
    await world.pool.query(`INSERT INTO change (at, topic, ref) VALUES (now() - interval '100 seconds', 'price', 'missed')`)
    await expect.poll(() => receivedChanges).toContain('price missed')
  } finally {
    clock.mockRestore()
    await notifications.stop()
  }
})

test('a request may name its whole address, as one through a proxy does', async () => {
  const { secret } = await world.holder()
  const answer = await world.send({ method: 'GET', path: 'http://elsewhere.test/v1/models', headers: headersOf(secret) })
  expect(answer.status).toBe(200)
  expect(answer.json()).toMatchObject({ object: 'list' })
})

describe('a gateway that is told to stop', () => {
  /** Starts a gateway of its own with a stream in progress, on a connection that its client would keep open. */
  async function startStreaming(
    handler: Parameters<typeof world.vendor.answer>[0],
  ): Promise<{ gateway: TestGateway; ended: Promise<string> }> {
    const vendor = await startFakeVendor()
    vendor.answer(handler)
    const id = `fake/stop-${Math.random()}`
    await addModel(world.pool, { id, baseUrl: vendor.url })
    const gateway = await startGateway({ databaseUrl: world.databaseUrl })
    const { secret } = await addKey(world.pool, await addAccount(world.pool, 1_000_000_000n))
    let resolveFirst = () => {}
    const first = new Promise<void>((resolve) => {
      resolveFirst = resolve
    })
    const ended = new Promise<string>((resolve) => {
      const body = JSON.stringify(chatBody({ model: id, stream: true }))
      const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json', 'content-length': body.length }
      const agent = new Agent({ keepAlive: true })
      const request = httpRequest(`${gateway.url}/v1/chat/completions`, { method: 'POST', agent, headers }, (answer) => {
        let text = ''
        answer.on('data', (data) => {
          text += data
          resolveFirst()
        })
        answer.on('close', () => resolve(text))
        answer.on('error', () => undefined)
      })
      request.on('error', () => resolve(''))
      request.end(body)
    })
    await first
    return { gateway, ended: ended.finally(() => vendor[Symbol.asyncDispose]()) }
  }

  test('waits for a stream, and not for its connection', async () => {
    const { gateway, ended } = await startStreaming(
      respondThen(['One'], async (call) => {
        await sleep(500)
        for (const data of [chatChunk(' two', 'stop'), '[DONE]']) sendEvent(call, data)
        call.response.end()
      }),
    )
    const started = performance.now()
    const stopped = gateway.stop()
    expect((await ended).trimEnd()).toMatch(/One.* two.*\[DONE\]$/s)
    expect(await stopped).toBe(0)
    expect(performance.now() - started).toBeLessThan(15_000)
  })

  test('goes at once when it is told again', async () => {
    const { gateway, ended } = await startStreaming(respondThen(['One'], neverRespond))
    gateway.kill('SIGTERM')
    // npm forwards a signal that the terminal has already sent: that does not count as a second one.
    await sleep(100)
    gateway.kill('SIGTERM')
    expect(await Promise.race([ended.then(() => 'ended'), sleep(1200, 'open')])).toBe('open')
    const started = performance.now()
    expect(await gateway.stop()).toBe(130)
    expect(performance.now() - started).toBeLessThan(10_000)
    await ended
  })
})
