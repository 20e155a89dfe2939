import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ApiWorld, chatBody, headersOf, newClientIp, openApiWorld } from '../fakes/api-world.ts'
import { addKey, revokeKey } from '../support/fixtures.ts'
import { RawConnection, type RawRequest } from '../support/raw-client.ts'

let world: ApiWorld

beforeAll(async () => {
  world = await openApiWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** A client without a valid key gets the same error whatever was wrong, and costs nobody anything. */
async function expectInvalidKey(request: RawRequest): Promise<string> {
  const callsBefore = world.vendor.calls.length
  const answer = await world.send(request)
  expect(answer.status, answer.text).toBe(401)
  const { message, ...error } = answer.error()
  expect(error).toEqual({ type: 'invalid_request_error', code: 'invalid_api_key', param: null })
  expect(answer.header('x-request-id')).toMatch(/^req_[0-9a-z]{26}$/)
  expect(answer.header('content-type')).toBe('application/json')
  expect(world.vendor.calls.length).toBe(callsBefore)
  world.expectNoLeaks(answer)
  return message
}

const body = JSON.stringify(chatBody())
const clientIpHeader = (): [string, string] => ['x-forwarded-for', newClientIp()]
const json: [string, string] = ['content-type', 'application/json']
const WELL_FORMED_KEY = `sk-tg-${'0'.repeat(40)}`

describe('401 for an Authorization header that is', () => {
  const cases: [string, [string, string][]][] = [
    ['missing', []],
    ['empty', [['authorization', '']]],
    ['without a scheme', [['authorization', WELL_FORMED_KEY]]],
    ['without a key', [['authorization', 'Bearer']]],
    ['without a key but a space', [['authorization', 'Bearer ']]],
    ['of another scheme', [['authorization', `Basic ${Buffer.from('a:b').toString('base64')}`]]],
    ['two words', [['authorization', `Bearer ${WELL_FORMED_KEY} x`]]],
    ['not ASCII', [['authorization', 'Bearer sk-tg-\u00e9\u00e8']]],
    ['a comma list', [['authorization', `Bearer ${WELL_FORMED_KEY}, Bearer ${WELL_FORMED_KEY}`]]],
    ['longer than any key', [['authorization', `Bearer ${'x'.repeat(600)}`]]],
    ['a key of nobody, with a wrong checksum', [['authorization', `Bearer ${WELL_FORMED_KEY}000000`]]],
  ]
  test.each(cases)('%s', async (_, headers) => {
    await expectInvalidKey({ headers: [...headers, json, clientIpHeader()], body })
  })

  test.each(['api-key', 'x-api-key', 'x-goog-api-key'])('missing, where a key is in %s: the header is named', async (name) => {
    const message = await expectInvalidKey({ headers: [[name, WELL_FORMED_KEY], json, clientIpHeader()], body })
    expect(message).toMatch(`The header "${name}" is not supported here. Send "Authorization: Bearer sk-tg-..."`)
    expect(message).not.toContain(WELL_FORMED_KEY)
  })
})

describe('401 for a key that is', () => {
  test("well formed, checksum included, and nobody's", async () => {
    const { formatKey, KEY_RANDOM_BYTES } = await import('#lib/domain/api-key')
    await expectInvalidKey({ headers: headersOf(formatKey(new Uint8Array(KEY_RANDOM_BYTES).fill(7))), body })
  })

  test('good but for its checksum', async () => {
    const { secret } = await world.holder()
    const last = secret.endsWith('0') ? '1' : '0'
    await expectInvalidKey({ headers: headersOf(secret.slice(0, -1) + last), body })
  })

  test('revoked before, expired, or wrong: one message for all three', async () => {
    const holder = await world.holder()
    const revoked = await addKey(world.pool, holder.accountId, { revokedAt: new Date() })
    const expired = await addKey(world.pool, holder.accountId, { expiresAt: new Date(Date.now() - 1000) })
    const messages = [
      await expectInvalidKey({ headers: headersOf(revoked.secret), body }),
      await expectInvalidKey({ headers: headersOf(expired.secret), body }),
      await expectInvalidKey({ headers: headersOf(`${WELL_FORMED_KEY}000000`), body }),
    ]
    expect(new Set(messages).size).toBe(1)
    await world.expectSettledBooks(holder, 0)
  })

  test('revoked while in use, within a second', async () => {
    const holder = await world.holder()
    expect((await world.chat(holder.secret)).status).toBe(200)
    await revokeKey(world.pool, holder.keyId)
    await expect.poll(async () => (await world.chat(holder.secret)).status, { timeout: 1000, interval: 50 }).toBe(401)
  })

  test('past its end while in use', async () => {
    const holder = await world.holder()
    const { secret } = await addKey(world.pool, holder.accountId, { expiresAt: new Date(Date.now() + 700) })
    expect((await world.chat(secret)).status).toBe(200)
    await expect.poll(async () => (await world.chat(secret)).status, { timeout: 1500, interval: 50 }).toBe(401)
  })
})

describe('a key with an address list', () => {
  test('answers inside it and is 401 outside', async () => {
    const holder = await world.holder()
    const { secret } = await addKey(world.pool, holder.accountId, { addressAllow: ['192.0.2.0/24', '2001:db8::/32'] })
    const requestFrom = (address: string): RawRequest => ({
      headers: [['authorization', `Bearer ${secret}`], json, ['x-forwarded-for', address]],
      body,
    })
    expect((await world.send(requestFrom('192.0.2.77'))).status).toBe(200)
    expect((await world.send(requestFrom('2001:db8::5'))).status).toBe(200)
    expect((await world.send(requestFrom('::ffff:192.0.2.9'))).status).toBe(200)
    await expectInvalidKey(requestFrom('192.0.3.1'))
    await expectInvalidKey(requestFrom('2001:db9::5'))
  })

  test('believes only the last hop that our own proxy wrote', async () => {
    const holder = await world.holder()
    const { secret } = await addKey(world.pool, holder.accountId, { addressAllow: ['192.0.2.0/24'] })
    await expectInvalidKey({
      headers: [['authorization', `Bearer ${secret}`], json, ['x-forwarded-for', '192.0.2.77, 203.0.113.9']],
      body,
    })
    await expectInvalidKey({
      headers: [['authorization', `Bearer ${secret}`], json, ['x-forwarded-for', 'not an address']],
      body,
    })
    await world.expectSettledBooks(holder, 0)
  })
})

describe("a stranger's body", () => {
  const requestHead = (extraHeaders: string): string =>
    `POST /v1/chat/completions HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer ${WELL_FORMED_KEY}000000\r\nX-Forwarded-For: ${newClientIp()}\r\n${extraHeaders}\r\n`

  test.each([
    ['with a length of 20 GB', 'Content-Type: application/json\r\nContent-Length: 20000000000\r\n'],
    ['in chunks', 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n'],
    ['of the wrong kind', 'Content-Type: text/plain\r\nContent-Encoding: gzip\r\nContent-Length: 5\r\n'],
    ['that waits for leave', 'Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 20000000\r\n'],
  ])('%s is refused before a byte of it is sent, and the connection ends', async (_, headers) => {
    const connection = await RawConnection.open(world.url)
    connection.send(requestHead(headers))
    expect((await connection.readAnswer()).status).toBe(401)
    expect(connection.continueCount).toBe(0)
    await connection.readUntilClosed()
  })

  test('that waits for leave gets it once its key is known', async () => {
    const holder = await world.holder()
    const connection = await RawConnection.open(world.url)
    const bytes = Buffer.from(body)
    connection.send(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: t\r\nAuthorization: Bearer ${holder.secret}\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${bytes.length}\r\n\r\n`,
    )
    expect((await connection.readHead({ to100: true })).status).toBe(100)
    connection.send(bytes)
    expect((await connection.readAnswer()).status).toBe(200)
    connection.destroy()
  })

  test('that never ends is not taken for long', async () => {
    const connection = await RawConnection.open(world.url)
    connection.send(requestHead('Content-Type: application/json\r\nContent-Length: 20000000000\r\n'))
    expect((await connection.readAnswer()).status).toBe(401)
    const more = setInterval(() => connection.send(Buffer.alloc(1024)), 20)
    await connection.readUntilClosed()
    clearInterval(more)
  })
})

test('401 comes before every other refusal', async () => {
  await expectInvalidKey({ headers: [json, clientIpHeader()], body: 'not json' })
  await expectInvalidKey({ headers: [['content-type', 'text/plain'], clientIpHeader()], body: 'x' })
  await expectInvalidKey({ headers: [json, clientIpHeader()], body: JSON.stringify({ model: 'no/such' }) })
  await expectInvalidKey({ method: 'GET', path: '/v1/models', headers: [clientIpHeader()] })
  await expectInvalidKey({ method: 'GET', path: '/v1/models/fake/chat', headers: [clientIpHeader()] })
})
