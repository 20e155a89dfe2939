import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { BUILD_TIMEOUT_MS, ensureConsoleBuilt } from '../support/ensure-console-built.ts'
import { setSettings } from '../support/fixtures.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { sendRaw } from '../support/raw-client.ts'

let database: TestDatabase
beforeAll(async () => {
  await ensureConsoleBuilt()
  database = await createDatabase()
}, BUILD_TIMEOUT_MS)
afterAll(() => database?.drop())

const start = (env: Record<string, string>, readyPath: string) => startGateway({ databaseUrl: database.url, env, readyPath })

async function fetchPath(gateway: TestGateway, path: string, init: RequestInit = {}) {
  const answer = await fetch(`${gateway.url}${path}`, { redirect: 'manual', ...init })
  return { status: answer.status, type: answer.headers.get('content-type') ?? '', text: await answer.text() }
}

const processes = async (): Promise<number> => (await database.pool.query('SELECT count(*)::int AS n FROM process')).rows[0].n

describe('ROLE=gateway', () => {
  test('serves the API, and no page', async () => {
    await using gateway = await start({ ROLE: 'gateway' }, '/healthz')
    expect((await fetchPath(gateway, '/v1/models')).status).toBe(401)
    for (const path of ['/', '/sign-in', '/api/me', '/api/health'])
      expect(await fetchPath(gateway, path)).toMatchObject({ status: 404, text: 'This process serves the API only.\n' })
    const described = await fetchPath(gateway, '/openapi.json')
    expect(described).toMatchObject({ status: 200, type: 'application/json' })
    expect(JSON.parse(described.text)).toMatchObject({ openapi: '3.1.0', servers: [{ url: expect.any(String) }] })
    expect((await fetchPath(gateway, '/openapi.json', { method: 'POST', body: '{}' })).status).toBe(405)
    expect((await fetchPath(gateway, '/healthz')).status).toBe(200)
    expect(await processes()).toBe(1)
  })
})

describe('ROLE=console', () => {
  test('serves pages and no API, and holds no place among the gateways', async () => {
    await using console = await start({ ROLE: 'console', WORKERS: '3' }, '/healthz')
    expect(await fetchPath(console, '/sign-in')).toMatchObject({ status: 200, type: expect.stringContaining('text/html') })
    expect((await fetchPath(console, '/api/health')).status).toBe(200)
    for (const path of ['/v1', '/v1/models', '/v1/chat/completions?x', '/v1/no/such', '/files/2026112019/x']) {
      const answer = await fetchPath(console, path, { method: 'POST', body: '{}' })
      expect(answer).toMatchObject({ status: 404, type: 'application/json' })
      expect(JSON.parse(answer.text)).toEqual({
        error: {
          message: expect.stringContaining('console only'),
          type: 'invalid_request_error',
          param: null,
          code: 'unknown_url',
        },
      })
    }
    // The request target `*` is not a path: it asks what the server can do at all.
    const starTarget = { path: '*', headers: [['Host', 'x']] as [string, string][] }
    expect((await sendRaw(console.url, { ...starTarget, method: 'OPTIONS' })).status).toBe(204)
    expect((await sendRaw(console.url, { ...starTarget, method: 'GET' })).status).toBe(400)
    expect((await fetchPath(console, '/healthz')).status).toBe(200)
    expect((await fetchPath(console, '/metrics')).text).toContain('nodejs_version_info')
    expect(await processes()).toBe(0)
  })
})

describe('ROLE=all with two workers', () => {
  test('serves both on one port, from any worker, and its console knows who asks', async () => {
    await using gateway = await start({ ROLE: 'all', WORKERS: '2', SIGN_UP_CREDIT: '1' }, '/healthz')
    for (let n = 0; n < 6; n++) {
      const headers = { connection: 'close' }
      expect((await fetchPath(gateway, '/v1/models', { headers })).status).toBe(401)
      expect(await fetchPath(gateway, '/sign-in', { headers })).toMatchObject({
        status: 200,
        type: expect.stringContaining('text/html'),
      })
    }
    expect((await fetchPath(gateway, '/healthz')).status).toBe(200)
    expect(await processes()).toBe(2)
    // Ten from one address are admitted, whatever address they claim: the worker in front vouches for the address.
    const statuses: number[] = []
    for (let n = 0; n < 11; n++) {
      const body = JSON.stringify({ name: 'Ada', email: `ada${n}@example.com`, password: 'long enough to be one 7' })
      const headers = { 'content-type': 'application/json', origin: gateway.url, 'x-tollgate-address': `203.0.113.${n}` }
      statuses.push((await fetchPath(gateway, '/api/sign-up', { method: 'POST', headers, body })).status)
    }
    expect(statuses.slice(0, 10).every((status) => status < 300)).toBe(true)
    expect(statuses[10]).toBe(429)
    // The console is a process of its own there, and still hears of the change.
    await setSettings(database.pool, { signUp: 'closed' })
    const headers = { 'content-type': 'application/json', origin: gateway.url }
    const body = JSON.stringify({ name: 'Ada', email: 'late@example.com', password: 'long enough to be one 7' })
    const signUpStatus = async () => (await fetchPath(gateway, '/api/sign-up', { method: 'POST', headers, body })).status
    await expect.poll(signUpStatus, { timeout: 10_000 }).toBe(403)
    const metrics = await fetchPath(gateway, '/metrics')
    expect(metrics.text).toContain('tollgate_under_way 0')
    expect(gateway.log().match(/Tollgate serves/g)?.length).toBe(1)
  })
})
