import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, chatBody, expectError, headersOf, openApiWorld } from '../fakes/api-world.ts'
import { RawConnection, type RawRequest, requestBytes } from '../support/raw-client.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const validBody = JSON.stringify(chatBody())
const withBody = (body: Buffer | string, overrides: RawRequest = {}) => ({
  request: (secret: string): RawRequest => ({ headers: headersOf(secret), body, ...overrides }),
})

describe('a body that is no JSON object is a 400', () => {
  const nested = (depth: number) => `{"model":"fake/chat","messages":${'['.repeat(depth)}${']'.repeat(depth)}}`
  const cases: [string, Buffer | string, RegExp, RawRequest?][] = [
    ['empty', '', /is empty/],
    ['empty, in chunks', '', /is empty/, { chunkBytes: 1 }],
    ['without a length', validBody, /is empty/, { body: '', noLength: true }],
    ['white space', ' \r\n\t', /not valid JSON/],
    ['text', 'hello', /not valid JSON/],
    ['cut off', validBody.slice(0, -1), /not valid JSON/],
    ['JSON with something behind it', `${validBody} x`, /not valid JSON/],
    ['two objects', validBody + validBody, /not valid JSON/],
    ['JSON with a trailing comma', '{"model":"fake/chat",}', /not valid JSON/],
    ['JSON with single quotes', "{'model':'fake/chat'}", /not valid JSON/],
    ['JSON with a raw line break in a string', '{"model":"fake\n/chat"}', /not valid JSON/],
    ['form fields', 'model=fake%2Fchat', /not valid JSON/],
    ['an array', `[${validBody}]`, /not an object/],
    ['a string', '"hello"', /not an object/],
    ['a number', '17', /not an object/],
    ['null', 'null', /not an object/],
    ['true', 'true', /not an object/],
    ['not UTF-8: a lone continuation byte', Buffer.from([0x7b, 0x22, 0x80, 0x22, 0x7d]), /not valid UTF-8/],
    ['not UTF-8: an overlong slash', Buffer.from([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x7d]), /not valid UTF-8/],
    ['not UTF-8: a surrogate', Buffer.from([0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x7d]), /not valid UTF-8/],
    ['not UTF-8: Latin-1', Buffer.from('{"model":"caf\u00e9"}', 'latin1'), /not valid UTF-8/],
    ['UTF-16', Buffer.from(validBody, 'utf16le'), /not valid JSON/],
    ['bytes of a zip file', Buffer.from([0x50, 0x4b, 3, 4, 0, 0]), /not valid JSON/],
    ['nested 65 deep', nested(64), /more than 64 levels/],
    ['nested 100,000 deep', nested(100_000), /more than 64 levels/],
    ['nested 2,000,000 deep and cut off', '['.repeat(2_000_000), /more than 64 levels/],
  ]
  test.each(cases)('%s', async (_, body, message, overrides) => {
    await world.expectRefused(withBody(body, overrides).request, { condition: 'invalid_request', message })
  })

  test('but a byte order mark and nesting 63 deep are none of these', async () => {
    const { secret } = await world.holder()
    const deep = chatBody({ unknown: JSON.parse('['.repeat(62) + ']'.repeat(62)) })
    const body = Buffer.from(`\ufeff${JSON.stringify(deep)}`)
    expect((await world.send({ headers: headersOf(secret), body })).status).toBe(200)
  })
})

describe('a name that stands twice is a 400 that names it', () => {
  const cases: [string, string, string][] = [
    ['at the top', '{"model":"fake/chat","messages":[{"role":"user","content":"x"}],"model":"fake/spend"}', 'model'],
    ['in a message', '{"model":"fake/chat","messages":[{"role":"user","content":"x","role":"system"}]}', 'messages[0].role'],
    ['in an unknown field', '{"model":"fake/chat","messages":[{"role":"user","content":"x"}],"x":{"a":{"b":1,"b":2}}}', 'x.a.b'],
    ['spelled with an escape', '{"model":"fake/chat","messages":[{"role":"user","content":"x"}],"mod\\u0065l":"a"}', 'model'],
    ['with escapes in both', '{"a\\"b":1,"a\\u0022b":2}', 'a"b'],
    ['with white space before the colon', '{"model":"a","model" \n:"b"}', 'model'],
    ['empty', '{"":1,"":2}', ''],
    ['after a value that looks like a name', '{"a":"b\\\\","b":"a","a":1}', 'a'],
    [
      'max_tokens',
      '{"model":"fake/chat","max_tokens":1,"messages":[{"role":"user","content":"x"}],"max_tokens":99}',
      'max_tokens',
    ],
    ['__proto__', '{"__proto__":1,"__proto__":2}', '__proto__'],
  ]
  test.each(cases)('%s', async (_, body, param) => {
    await world.expectRefused(withBody(body).request, { condition: 'invalid_request', param, message: /twice/ })
  })

  test('but the same name in two objects is no such case', async () => {
    const { secret } = await world.holder()
    const messages = [
      { role: 'user', content: '{"role": 1, "role": 2}' },
      { role: 'user', content: 'role' },
    ]
    expect((await world.chat(secret, { messages, a: { a: { a: 1 } }, b: ['a', 'a', '"a":'] })).status).toBe(200)
  })
})

describe('names with a meaning in JavaScript are just names', () => {
  test('they change no field, no other request, and reach the vendor only as they are', async () => {
    const holder = await world.holder()
    const body = `{"model":"fake/chat","messages":[{"role":"user","content":"x","__proto__":{"role":"system"}}],
      "__proto__":{"stream":true,"n":99,"max_tokens":1},"constructor":{"prototype":{"stream":true}},
      "metadata":{"__proto__":"x","toString":"y"},"hasOwnProperty":1,"toString":2}`
    const answer = await world.send({ headers: headersOf(holder.secret), body })
    expect(answer.status, answer.text).toBe(200)
    expect(answer.header('content-type')).toBe('application/json')
    const vendorBody = world.vendor.calls.at(-1)?.body ?? {}
    expect(vendorBody).not.toHaveProperty('stream')
    expect(vendorBody).not.toHaveProperty('n')
    expect(vendorBody.max_tokens).toBeGreaterThan(1)
    expect(vendorBody.constructor).toEqual({ prototype: { stream: true } })
    const next = await world.chat(holder.secret)
    expect(next.header('content-type')).toBe('application/json')
    expect(world.vendor.calls.at(-1)?.body).not.toHaveProperty('stream')
    await world.expectSettledBooks(holder, 2)
  })

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('no model is called %s', async (model) => {
    const body = JSON.stringify(chatBody({ model }))
    await world.expectRefused(withBody(body).request, { condition: 'unknown_model', param: 'model' })
  })
})

describe('a body of the wrong kind is a 415', () => {
  const requestOfType =
    (type: string | null, extraHeaders: [string, string][] = []) =>
    (secret: string): RawRequest => ({
      headers: [
        ...headersOf(secret, extraHeaders).filter(([name]) => name !== 'content-type'),
        ...(type === null ? [] : [['content-type', type] as [string, string]]),
      ],
      body: extraHeaders.some(([name]) => name === 'content-encoding') ? gzipSync(validBody) : validBody,
    })
  test.each([
    'text/plain',
    'application/jsonx',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'json',
    '',
  ])('content-type %s', async (type) => {
    await world.expectRefused(requestOfType(type), { condition: 'wrong_content', message: /application\/json/ })
  })
  test.each(['utf-16', 'UTF-16LE', 'iso-8859-1', '"windows-1252"', "'latin1'", 'x'.repeat(200)])(
    'charset %s',
    async (charset) => {
      const answer = await world.expectRefused(requestOfType(`application/json; charset=${charset}`), {
        condition: 'wrong_content',
        message: /Send it in UTF-8/,
      })
      expect(answer.error().message.length).toBeLessThan(200)
    },
  )
  test('no content-type', async () => {
    await world.expectRefused(requestOfType(null), { condition: 'wrong_content', message: /application\/json/ })
  })
  test.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, identity', 'x'.repeat(200)])('content-encoding %s', async (encoding) => {
    const answer = await world.expectRefused(requestOfType('application/json', [['content-encoding', encoding]]), {
      condition: 'wrong_content',
      message: /uncompressed/,
    })
    expect(answer.error().message.length).toBeLessThan(200)
  })
})

test.each([
  'application/json; charset=utf-8',
  'application/json;charset=UTF8',
  'application/json; charset="utf-8"',
  'application/json; CHARSET = utf-8; x=y',
  'application/json; charset=us-ascii',
  'application/json; charset=',
  'Application/JSON',
  'application/json ;x=y',
])('%s is the right kind', async (type) => {
  const { secret } = await world.holder()
  const headers = headersOf(secret, [['content-encoding', 'identity']]).map(([name, value]): [string, string] => [
    name,
    name === 'content-type' ? type : value,
  ])
  expect((await world.send({ headers, body: validBody })).status).toBe(200)
})

describe('a body of 20 MB is a 413', () => {
  const large = Buffer.from(JSON.stringify(chatBody({ padding: 'x'.repeat(20_000_000) })))

  test('when its length says so, though nothing of it was sent', async () => {
    const holder = await world.holder()
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes({ headers: [...headersOf(holder.secret), ['content-length', String(large.length)]] }))
    expectError(await connection.readAnswer(), { condition: 'too_large', message: /16384 KiB/ })
    await connection.readUntilClosed()
    await world.expectSettledBooks(holder, 1)
  })
  test('when all of it is sent', async () => {
    await world.expectRefused(withBody(large).request, { condition: 'too_large', message: /16384 KiB/ })
  })
  test('when it comes in chunks', async () => {
    const { request } = withBody(large, { chunkBytes: 65_536 })
    await world.expectRefused(request, { condition: 'too_large', message: /16384 KiB/ })
  })
})

test('a client that leaves while it sends is no failure of the gateway', async () => {
  const holder = await world.holder()
  for (const framing of [
    ['content-length', '5000'],
    ['transfer-encoding', 'chunked'],
  ] as [string, string][]) {
    const connection = await RawConnection.open(world.url)
    connection.send(requestBytes({ headers: [...headersOf(holder.secret), framing] }))
    connection.send(framing[1] === 'chunked' ? '5\r\n{"mod\r\n' : '{"mod')
    await new Promise((resolve) => setTimeout(resolve, 50))
    connection.destroy()
  }
  for (const row of await world.records(holder.accountId, 2)) expect(row).toMatchObject({ status: 400, outcome: 'refused' })
  expect(world.gateway.log()).not.toContain('unexpected')
  await world.expectSettledBooks(holder, 2)
})
