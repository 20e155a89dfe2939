import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, chatBody, expectError, headersOf, newClientIp, openApiWorld } from '../fakes/api-world.ts'
import { RawConnection, type RawRequest, sendRaw } from '../support/raw-client.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const body = JSON.stringify(chatBody())

describe('a method that an address does not have is a 405 that names the one it has', () => {
  const cases: [string, string, string][] = [
    ['/v1/chat/completions', 'POST', 'GET HEAD PUT PATCH DELETE OPTIONS'],
    ['/v1/models', 'GET, HEAD', 'POST PUT PATCH DELETE OPTIONS'],
    ['/v1/models/fake/chat', 'GET, HEAD', 'POST PUT PATCH DELETE OPTIONS'],
    ['/v1/responses/resp_1', 'GET, HEAD, DELETE', 'POST PUT PATCH OPTIONS'],
  ]
  const routeCases = cases.flatMap(([path, allow, methods]) => methods.split(' ').map((method) => [method, path, allow] as const))
  test.each(routeCases)('%s %s', async (method, path, allow) => {
    const answer = await world.send({ method, path, headers: [['x-forwarded-for', newClientIp()]] })
    expect(answer.status).toBe(405)
    expect(answer.header('allow')).toBe(allow)
    expect(answer.header('x-request-id')).toMatch(/^req_/)
    if (method === 'HEAD') return expect(answer.body.length).toBe(0)
    expectError(answer, { condition: 'wrong_method', message: new RegExp(`does not support ${method}\\. Use ${allow}\\.`) })
  })
})

test.each(['/v1/models', '/v1/models/fake/chat', '/v1/models/nobody', '/v1/videos/generations/task_1'])(
  'HEAD %s answers what GET does, without its body, with a key and without',
  async (path) => {
    const { secret } = await world.holder()
    for (const key of [secret, null]) {
      const get = await world.send({ method: 'GET', path, headers: headersOf(key) })
      const head = await world.send({ method: 'HEAD', path, headers: headersOf(key) })
      expect(head.status).toBe(get.status)
      expect(head.header('content-length')).toBe(get.header('content-length'))
      expect(head.header('content-type')).toBe('application/json')
      expect(head.body.length).toBe(0)
    }
  },
)

describe('an address that does not exist is a 404', () => {
  test.each([
    ['POST', '/v1/chat'],
    ['POST', '/v1/chat/completions/more'],
    ['GET', '/v1/files'],
    ['POST', '/v1/fine_tuning/jobs'],
    ['POST', '/v1/Chat/Completions'],
    ['GET', '/v1/organization/users'],
    ['POST', '/v1/chat%2Fcompletions'],
    ['GET', '/v1/%00'],
    ['GET', '/v1/%E0%A4%A'],
    ['GET', `/v1/${'x'.repeat(4000)}`],
    ['GET', '/v1/<script>alert(1)</script>'],
  ])('%s %s', async (method, path) => {
    const answer = await world.send({ method, path })
    expectError(answer, { condition: 'unknown_path' })
    expect(answer.body.length).toBeLessThan(600)
    world.expectNoLeaks(answer)
  })

  test('and dots do not lead out of /v1', async () => {
    const answer = await world.send({ method: 'GET', path: '/v1/../../etc/passwd' })
    expectError(answer, { condition: 'unknown_path' })
    expect((await world.send({ method: 'GET', path: '/v2/models' })).status).toBe(404)
  })
})

test('a slash at the end and a query change nothing', async () => {
  const holder = await world.holder()
  for (const path of ['/v1/chat/completions/', '/v1/chat/completions?api-version=2024', '/v1/chat/completions#x'])
    expect((await world.send({ path, headers: headersOf(holder.secret), body })).status, path).toBe(200)
  await world.expectSettledBooks(holder, 3)
})

describe('a model is looked up', () => {
  const getModel = async (secret: string, id: string) =>
    await world.send({ method: 'GET', path: `/v1/models/${id}`, headers: headersOf(secret) })
  test('by its id, slash and all, escaped or not', async () => {
    const { secret } = await world.holder()
    expect((await getModel(secret, 'fake/chat')).json()).toMatchObject({ id: 'fake/chat', object: 'model', owned_by: 'fake' })
    expect((await getModel(secret, 'fake%2Fchat')).json()).toMatchObject({ id: 'fake/chat' })
  })
  test.each(['nobody', 'fake', 'fake/chat/more', '%00', '%E0%A4%A', '__proto__', 'FAKE/CHAT'])('and %s is a 404', async (id) => {
    const { secret } = await world.holder()
    expectError(await getModel(secret, id), { condition: 'unknown_model', param: 'model' })
  })
})

/** Sends bytes that are not HTTP, or two requests in one. Expects a bare 400, a closed connection, and that nothing ran. */
async function expectRejected(bytes: string): Promise<void> {
  const calls = world.vendor.calls.length
  const connection = await RawConnection.open(world.url)
  connection.send(Buffer.from(bytes, 'latin1'))
  expect((await connection.readAnswer()).status).toBe(400)
  expect((await connection.readUntilClosed()).length, 'no second answer').toBe(0)
  expect(world.vendor.calls.length).toBe(calls)
}

describe('requests that two readers could cut differently are not read at all', () => {
  const smuggledRequest = (secret: string) =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer ${secret}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const cases: [string, string, string][] = [
    ['two lengths', `Content-Length: ${body.length}\r\nContent-Length: 0`, body],
    ['two equal lengths', `Content-Length: ${body.length}\r\nContent-Length: ${body.length}`, body],
    ['a list of lengths', `Content-Length: ${body.length}, ${body.length}`, body],
    ['a length and chunks', `Content-Length: ${body.length}\r\nTransfer-Encoding: chunked`, `0\r\n\r\n`],
    ['chunks and a length', `Transfer-Encoding: chunked\r\nContent-Length: 5`, `0\r\n\r\n`],
    ['chunked that is not last', 'Transfer-Encoding: chunked, identity', '0\r\n\r\n'],
    ['chunked in disguise', 'Transfer-Encoding: xchunked', '0\r\n\r\n'],
    ['a length that is no number', 'Content-Length: 5x', body],
    ['a negative length', 'Content-Length: -5', body],
    ['a length with a sign', `Content-Length: +${body.length}`, body],
    ['a folded header', `X-A: b\r\n\tc\r\nContent-Length: ${body.length}\r\n Transfer-Encoding: chunked`, body],
    ['a space before the colon', `Content-Length : ${body.length}`, body],
    ['a line feed alone', `X-A: b\nTransfer-Encoding: chunked\r\nContent-Length: ${body.length}`, body],
    ['a carriage return in a value', `X-A: b\rc\r\nContent-Length: ${body.length}`, body],
    ['a NUL in a value', `X-A: b\0c\r\nContent-Length: ${body.length}`, body],
    ['a chunk size that is none', 'Transfer-Encoding: chunked', '5;x\n\r\nhello\r\n0\r\n\r\n'],
  ]
  test.each(cases)('%s', async (_, headers, rest) => {
    const holder = await world.holder()
    const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer ${holder.secret}\r\nContent-Type: application/json\r\n`
    await expectRejected(`${head}${headers}\r\n\r\n${rest}${smuggledRequest(holder.secret)}`)
    expect((await world.records(holder.accountId, 0)).filter((row) => row.charged > 0n)).toEqual([])
  })

  test('a request line that is none, and headers without end', async () => {
    await expectRejected('hello\r\n\r\n')
    await expectRejected('POST /v1/chat/completions\r\n\r\n')
    const endless = await sendRaw(world.url, Buffer.from(`GET /v1/models HTTP/1.1\r\nHost: t\r\nX: ${'x'.repeat(100_000)}`))
    expect(endless.status).toBe(431)
  })
})

describe('what a client writes into headers', () => {
  const key =
    (value: string) =>
    (secret: string): RawRequest => ({ headers: headersOf(secret, [['idempotency-key', value]]), body })

  test.each([
    ['is empty', ''],
    ['has spaces', 'a b'],
    ['is too long', 'x'.repeat(256)],
    ['is not ASCII', 'caf\u00e9'],
    ['has a tab', 'a\tb'],
    ['has an escape', 'a\u001b[31m'],
  ])('an Idempotency-Key that %s is a 400', async (_, value) => {
    const calls = world.vendor.calls.length
    const holder = await world.holder()
    const answer = await world.send(key(value)(holder.secret))
    expect(answer.status).toBe(400)
    // Node's parser already rejects control characters, with a 400 that has no body.
    if (answer.body.length > 0) expectError(answer, { condition: 'invalid_request', param: 'Idempotency-Key' })
    expect(world.vendor.calls.length).toBe(calls)
    await world.expectSettledBooks(holder, answer.body.length > 0 ? 1 : 0)
  })

  test('two Idempotency-Keys are a 400', async () => {
    const request = (secret: string): RawRequest => ({
      headers: headersOf(secret, [
        ['idempotency-key', 'a'],
        ['idempotency-key', 'b'],
      ]),
      body,
    })
    await world.expectRefused(request, { condition: 'invalid_request', param: 'Idempotency-Key' })
  })

  test('never comes back as a header, and the request id is ours', async () => {
    const holder = await world.holder()
    const forged = 'req_00000000000000000000000000'
    const answer = await world.send({
      headers: headersOf(holder.secret, [
        ['x-request-id', forged],
        ['idempotency-key', 'a%0d%0aset-cookie:x=1'],
        ['x-tollgate-cost', '0'],
        ['origin', 'https://example.com'],
      ]),
      body,
    })
    expect(answer.status).toBe(200)
    expect(answer.header('x-request-id')).not.toBe(forged)
    expect(answer.header('set-cookie')).toBeNull()
    expect(answer.header('x-tollgate-cost')).not.toBe('0')
    expect(answer.text).not.toContain('example.com')
    await world.expectSettledBooks(holder, 1)
  })
})
