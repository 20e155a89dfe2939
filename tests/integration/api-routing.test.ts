import { afterAll, beforeAll, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'

let database: TestDatabase
let gateway: TestGateway

beforeAll(async () => {
  database = await createDatabase()
  gateway = await startGateway({ databaseUrl: database.url })
})

afterAll(async () => {
  await gateway?.stop()
  await database?.drop()
})

test.each([
  ['GET', '/v1', 404, 'unknown_url'],
  ['GET', '/v1/', 404, 'unknown_url'],
  ['POST', '/v1/nothing/here', 404, 'unknown_url'],
  ['POST', '/v1/responses/compact', 404, 'unknown_url'],
  ['POST', '/v1/responses/input_tokens', 404, 'unknown_url'],
  ['POST', '/v1/responses/resp_1', 405, 'method_not_allowed'],
  ['PROPFIND', '/v1/models', 405, 'method_not_allowed'],
  ['PROPFIND', '/v1/nothing', 404, 'unknown_url'],
  ['DELETE', '/v1/models/sandbox/chat', 405, 'method_not_allowed'],
])('%s %s answers %i %s in the error shape', async (method, path, status, code) => {
  const answer = await fetch(gateway.url + path, { method })
  expect(answer.status).toBe(status)
  expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
  expect(await answer.json()).toMatchObject({ error: { code, type: 'invalid_request_error' } })
})

test('who sends /v1 twice is told so', async () => {
  const answer = await fetch(`${gateway.url}/v1/v1/chat/completions`, { method: 'POST', body: '{}' })
  expect(await answer.json()).toMatchObject({ error: { code: 'unknown_url', message: expect.stringContaining('twice') } })
})

test('the document of this API is got, or asked for without its body, and says so to who does otherwise', async () => {
  const ask = (method: string) => fetch(`${gateway.url}/openapi.json`, { method })
  const posted = await ask('POST')
  expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect(await (await ask('GET')).json()).toMatchObject({ openapi: '3.1.0' })
  const head = await ask('HEAD')
  expect([head.status, await head.text()]).toEqual([200, ''])
})

test('looking models up leaves no record, whether there are any or not', async () => {
  const headers = { authorization: `Bearer ${gateway.key}` }
  expect((await fetch(`${gateway.url}/v1/models`, { headers })).status).toBe(200)
  const missing = await fetch(`${gateway.url}/v1/models/nobody/has-this`, { headers })
  expect(missing.status).toBe(404)
  expect(missing.headers.get('x-ratelimit-limit-requests')).toBeTruthy()
  await gateway.stop()
  expect((await database.pool.query('SELECT count(*)::int AS n FROM usage_record')).rows[0].n).toBe(0)
})
