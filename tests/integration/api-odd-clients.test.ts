import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, chatBody, expectError, headersOf, openApiWorld } from '../fakes/api-world.ts'
import { RawConnection, requestBytes, sendRaw } from '../support/raw-client.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const body = JSON.stringify(chatBody())
const manyHeaders = (count: number): [string, string][] => Array.from({ length: count }, () => ['a', ''])

describe('a compressed body is not inflated, however it says so', () => {
  test.each<[string, [string, string][]]>([
    ['twice in one header', [['content-encoding', 'gzip, gzip']]],
    [
      'in two headers',
      [
        ['content-encoding', 'identity'],
        ['content-encoding', 'gzip'],
      ],
    ],
    ['in capitals', [['content-encoding', 'X-GZIP']]],
    ['with a coding that nobody knows', [['content-encoding', 'aes128gcm']]],
  ])('%s', async (_, headers) => {
    // Compressed to a thousandth of its size.
    const bomb = gzipSync(Buffer.alloc(16_000_000, 0x20))
    await world.expectRefused((secret) => ({ headers: headersOf(secret, headers), body: bomb }), {
      condition: 'wrong_content',
      message: /uncompressed/,
    })
  })

  test.each([
    ['as a coding of the transfer', 'Transfer-Encoding: gzip, chunked'],
    ['and does not say so', 'Transfer-Encoding: chunked'],
  ])('%s', async (_, framing) => {
    const holder = await world.holder()
    const bytes = gzipSync(body)
    const head = headersOf(holder.secret).map(([name, value]) => `${name}: ${value}\r\n`)
    const answer = await sendRaw(
      world.url,
      Buffer.concat([
        Buffer.from(
          `POST /v1/chat/completions HTTP/1.1\r\nHost: t\r\n${head.join('')}${framing}\r\n\r\n${bytes.length.toString(16)}\r\n`,
        ),
        bytes,
        Buffer.from('\r\n0\r\n\r\n'),
      ]),
    )
    expectError(answer, { condition: 'invalid_request', message: /not valid/ })
    await world.expectSettledBooks(holder, 1)
  })
})

describe('headers', () => {
  test('that are too long, or too many, are a 431', async () => {
    const { secret } = await world.holder()
    for (const more of [[['x-long', 'x'.repeat(20_000)]], manyHeaders(2500)] as [string, string][][])
      expect((await sendRaw(world.url, { headers: headersOf(secret, more), body })).status).toBe(431)
  })

  test('of an upgrade, and of what nobody expects, do no harm', async () => {
    const holder = await world.holder()
    for (const more of [
      [
        ['connection', 'upgrade, http2-settings'],
        ['upgrade', 'h2c'],
        ['http2-settings', 'AAMAAABkAAQAAP__'],
      ],
      [
        ['connection', 'upgrade'],
        ['upgrade', 'websocket'],
        ['sec-websocket-key', 'dGhlIHNhbXBsZSBub25jZQ=='],
        ['sec-websocket-version', '13'],
      ],
    ] as [string, string][][])
      expect((await sendRaw(world.url, { headers: headersOf(holder.secret, more), body })).status).toBe(200)
    expect((await sendRaw(world.url, { headers: headersOf(holder.secret, [['expect', 'a miracle']]), body })).status).toBe(417)
    await world.expectSettledBooks(holder, 2)
  })
})

test('HTTP/2 that nobody agreed on is turned down', async () => {
  const connection = await RawConnection.open(world.url)
  connection.send('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')
  expect((await connection.readAnswer()).status).toBe(400)
  expect((await connection.readUntilClosed()).length).toBe(0)
})

test('what stands in extensions of chunks and in trailers has no meaning', async () => {
  const holder = await world.holder()
  const connection = await RawConnection.open(world.url)
  const head = headersOf(holder.secret).map(([name, value]) => `${name}: ${value}\r\n`)
  connection.send(
    `POST /v1/chat/completions HTTP/1.1\r\nHost: t\r\n${head.join('')}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)};a=1;b="x"\r\n${body}\r\n0\r\nIdempotency-Key: a b\r\nAuthorization: Bearer x\r\n\r\n`,
  )
  expect((await connection.readAnswer()).status).toBe(200)
  connection.send(requestBytes({ headers: headersOf(holder.secret), body }))
  expect((await connection.readAnswer()).status).toBe(200)
  connection.destroy()
  await world.expectSettledBooks(holder, 2)
})

test.each([
  ['/v1/models/..%2f..', 'unknown_model'],
  ['/v1/models/%2e%2e/%2e%2e/api/keys', 'unknown_model'],
  ['/v1/models/fake%252Fchat', 'unknown_model'],
  ['/v1/models/fake%2Fchat%00', 'unknown_model'],
  ['/v1/models/%ED%A0%80', 'unknown_model'],
  ['/v1/models;x/fake/chat', 'unknown_path'],
] as const)('GET %s is a 404', async (path, condition) => {
  const { secret } = await world.holder()
  const answer = await world.send({ method: 'GET', path, headers: headersOf(secret) })
  expectError(answer, { condition, param: condition === 'unknown_model' ? 'model' : null })
  world.expectNoLeaks(answer)
})

test('GET //v1/models is what it says, and no other host', async () => {
  const { secret } = await world.holder()
  for (const path of ['//v1/models', '/v1//models', 'http://elsewhere.example//v1/models'])
    expect((await world.send({ method: 'GET', path, headers: headersOf(secret) })).status, path).toBe(200)
})

describe('a number', () => {
  const withField = (field: string) => body.replace('"model"', `${field},"model"`)
  test.each([
    ['"max_tokens":1e400', 'max_tokens'],
    ['"max_tokens":9007199254740993', 'max_tokens'],
    ['"max_tokens":1e-400', 'max_tokens'],
    ['"max_tokens":-0', 'max_tokens'],
    ['"seed":9007199254740993', 'seed'],
    ['"seed":-1e400', 'seed'],
    ['"seed":1e-7', 'seed'],
    ['"n":9007199254740993', 'n'],
    ['"n":-0', 'n'],
    ['"x":{"y":[1,1e999]}', 'x.y[1]'],
  ])('%s is refused', async (field, param) => {
    await world.expectRefused((secret) => ({ headers: headersOf(secret), body: withField(field) }), {
      condition: 'invalid_request',
      param,
    })
  })

  test.each([
    ['"seed":-0', { seed: 0 }],
    ['"seed":9007199254740991', { seed: 9007199254740991 }],
    ['"max_tokens":5.0', { max_tokens: 5 }],
    ['"n":1e0', { n: 1 }],
    ['"temperature":1e-400', { temperature: 0 }],
  ])('%s goes out as it is', async (field, expectedFields) => {
    const { secret } = await world.holder()
    const answer = await world.send({ headers: headersOf(secret), body: withField(field) })
    expect(answer.status, answer.text).toBe(200)
    expect(world.vendor.calls.at(-1)?.body).toMatchObject(expectedFields)
  })
})
