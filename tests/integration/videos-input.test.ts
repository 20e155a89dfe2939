import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, expectError, headersOf, openApiWorld, untilModelKnown } from '../fakes/api-world.ts'
import { startVideoVendor, type VideoVendor } from '../fakes/video-vendor.ts'
import { addModel } from '../support/fixtures.ts'
import { expectBalancedBooks } from '../support/ledger.ts'
import { addVideoModel, SECOND_PRICE_NANO, videoClient } from '../support/videos.ts'

let world: ApiWorld
let vendor: VideoVendor

beforeAll(async () => {
  world = await openApiWorld()
  vendor = await startVideoVendor()
  await addVideoModel(world.pool, 'fake/video', vendor.url)
  await addModel(world.pool, {
    id: 'fake/short',
    baseUrl: vendor.url,
    modality: 'video',
    units: { video_second: '1' },
    facts: { durations: [5, 10] },
  })
  await addModel(world.pool, { id: 'fake/unpriced', baseUrl: vendor.url, modality: 'video', units: { request: '1' } })
  // OpenAI's own wire for videos is a different one, which no kind of connection speaks here.
  await addModel(world.pool, {
    id: 'fake/mute',
    baseUrl: vendor.url,
    kind: 'openai',
    modality: 'video',
    units: { video_second: '1' },
  })
  await untilModelKnown(world, 'fake/mute')
})
afterAll(async () => {
  await expectBalancedBooks(world.pool)
  await world?.[Symbol.asyncDispose]()
  await vendor?.[Symbol.asyncDispose]()
})

const PATH = '/v1/videos/generations'
const GOOD = { model: 'fake/video', prompt: 'A paper boat.' }

const submit = (secret: string, body: unknown, more: [string, string][] = []) => ({
  path: PATH,
  headers: headersOf(secret, more),
  body: typeof body === 'string' ? body : JSON.stringify(body),
})

const WRONG: [string, object][] = [
  ...[undefined, null, 1, '', ['fake/video'], {}, 'x'.repeat(201)].map((model): [string, object] => ['model', { model }]),
  ...[undefined, null, 7, '', ' \n ', ['x'], {}, 'x'.repeat(32_001)].map((prompt): [string, object] => ['prompt', { prompt }]),
  ...[7, 0, -5, 5.5, 25, '5', true, [5], {}, 1e300].map((duration): [string, object] => ['duration', { duration }]),
  ...['true', 1, 0, [], {}].map((async): [string, object] => ['async', { async }]),
  ['service_tier', { service_tier: 'priority' }],
  ['duration', { model: 'fake/short', duration: 15 }],
  ['model', { model: 'fake/chat' }],
]

describe('what is refused before anything is held', () => {
  test.each(WRONG.map(([param, more]) => [param, JSON.stringify(more).slice(0, 60), more] as const))(
    'the field %s in %s',
    async (param, _text, more) => {
      const message = param === 'duration' && !('model' in more) ? { message: /5, 10, 15, 20/ } : {}
      await world.expectRefused((secret) => submit(secret, { ...GOOD, ...more }), {
        condition: 'invalid_request',
        param,
        ...message,
      })
    },
  )

  test.each([
    ['', null],
    ['[]', null],
    ['"x"', null],
    ['{', null],
    ['{"model":"fake/video","model":"fake/video","prompt":"x"}', 'model'],
  ])('the body %j', async (body, param) => {
    await world.expectRefused((secret) => submit(secret, body), { condition: 'invalid_request', param })
  })

  test('a model that does not exist', async () => {
    await world.expectRefused((secret) => submit(secret, { ...GOOD, model: 'no/such' }), {
      condition: 'unknown_model',
      param: 'model',
    })
  })

  test('a body that is no JSON', async () => {
    const headers = (secret: string): [string, string][] => [
      ...headersOf(secret).filter(([name]) => name !== 'content-type'),
      ['content-type', 'text/plain'],
    ]
    await world.expectRefused((secret) => ({ path: PATH, headers: headers(secret), body: 'x' }), { condition: 'wrong_content' })
  })

  test('a model whose vendor makes no videos', async () => {
    await world.expectRefused((secret) => submit(secret, { ...GOOD, model: 'fake/mute' }), {
      condition: 'invalid_request',
      param: 'model',
      message: /does not offer POST \/v1\/videos\/generations/,
    })
  })

  test('a model without a price for seconds', async () => {
    await world.expectRefused((secret) => submit(secret, { ...GOOD, model: 'fake/unpriced' }), { condition: 'internal' })
  })

  test('more than the balance, and more than the limit of the key', async () => {
    const poor = await world.holder({}, 5n * SECOND_PRICE_NANO - 1n)
    expectError(await world.send(submit(poor.secret, GOOD)), { condition: 'no_quota', message: /balance/ })
    const bound = await world.holder({ limitTotalNano: 5n * SECOND_PRICE_NANO - 1n })
    expectError(await world.send(submit(bound.secret, GOOD)), { condition: 'no_quota', message: /limit/ })
    const { rowCount } = await world.pool.query('SELECT 1 FROM task WHERE account_id = ANY ($1)', [
      [poor.accountId, bound.accountId],
    ])
    expect(rowCount).toBe(0)
  })
})

test('what is taken: nothing but the model and the prompt, nulls, and every duration', async () => {
  const { secret } = await world.holder({}, 100n * SECOND_PRICE_NANO)
  const client = videoClient(world.url, secret, 'fake/video')
  expect((await client.create()).duration).toBe(5)
  expect((await client.create({ duration: null, async: null })).duration).toBe(5)
  for (const duration of [5, 10, 15, 20]) {
    const answer = await client.call('POST', '', { ...GOOD, duration, async: true })
    expect(answer.task.duration).toBe(duration)
    expect(answer.headers.get('retry-after')).toBe(duration <= 10 ? '5' : '15')
  }
})

test('text that a column cannot hold is carried to the vendor all the same', async () => {
  const { secret, accountId } = await world.holder()
  const client = videoClient(world.url, secret, 'fake/video')
  const prompt = `nul \0, half a pair \ud800, an emoji \u{1f3ac} and "quotes"`
  const { id } = await client.create({ prompt })
  await client.pollUntil(id, ['completed'])
  expect(vendor.videos.find(({ key }) => key === id)?.body.prompt).toBe(prompt)
  expect((await world.record(accountId)).outcome).toBe('finished')
})

describe('a task that is not there', () => {
  const ids = [
    'nope',
    'task_',
    `task_${'0'.repeat(26)}`,
    `TASK_${'0'.repeat(26)}`,
    `task_${'0'.repeat(27)}`,
    'task_%00',
    '%2e%2e',
    'x'.repeat(3000),
    `task_${"'; DROP TABLE task; --"}`,
  ]
  test.each(ids)('has the id %s', async (id) => {
    const { secret } = await world.holder()
    const path = `${PATH}/${encodeURIComponent(id)}`
    expectError(await world.send({ method: 'GET', path, headers: headersOf(secret) }), { condition: 'unknown_task' })
    expectError(await world.send({ path: `${path}/cancel`, headers: headersOf(secret) }), { condition: 'unknown_task' })
  })

  test("is another account's, though another key of the same account may see it", async () => {
    const [owner, stranger] = [await world.holder(), await world.holder()]
    const { id } = await videoClient(world.url, owner.secret, 'fake/video').create()
    const path = `${PATH}/${id}`
    expectError(await world.send({ method: 'GET', path, headers: headersOf(stranger.secret) }), { condition: 'unknown_task' })
    expectError(await world.send({ path: `${path}/cancel`, headers: headersOf(stranger.secret) }), { condition: 'unknown_task' })
    expectError(await world.send({ method: 'GET', path, headers: headersOf(null) }), { condition: 'invalid_key' })
    const { rows } = await world.pool.query<{ expired: boolean }>(
      'SELECT expires_at < now() AS expired FROM task WHERE id = $1',
      [id],
    )
    expect(rows).toEqual([{ expired: false }])
  })

  test('was begun more than 24 hours ago', async () => {
    const { secret } = await world.holder()
    const client = videoClient(world.url, secret, 'fake/video')
    const task = await client.create()
    expect(task.expires_at - task.created_at).toBe(86_400)
    await client.pollUntil(task.id, ['completed'])
    await world.pool.query(`UPDATE task SET expires_at = now() WHERE id = $1`, [task.id])
    const path = `${PATH}/${task.id}`
    expectError(await world.send({ method: 'GET', path, headers: headersOf(secret) }), { condition: 'unknown_task' })
    expectError(await world.send({ path: `${path}/cancel`, headers: headersOf(secret) }), { condition: 'unknown_task' })
  })
})

test('looking counts as a request of the key', async () => {
  const { secret } = await world.holder({ rpm: 3 })
  const { id } = await videoClient(world.url, secret, 'fake/video').create()
  const retrieve = () => world.send({ method: 'GET', path: `${PATH}/${id}`, headers: headersOf(secret) })
  expect((await retrieve()).header('x-ratelimit-remaining-requests')).toBe('1')
  expect((await retrieve()).status).toBe(200)
  expectError(await retrieve(), { condition: 'too_many_requests' })
})

test.each([
  ['PUT', PATH, 'POST'],
  ['GET', PATH, 'POST'],
  ['DELETE', `${PATH}/task_x`, 'GET, HEAD'],
  ['GET', `${PATH}/task_x/cancel`, 'POST'],
])('%s %s is not taken', async (method, path, allow) => {
  const answer = await world.send({ method, path })
  expectError(answer, { condition: 'wrong_method' })
  expect(answer.header('allow')).toBe(allow)
})
