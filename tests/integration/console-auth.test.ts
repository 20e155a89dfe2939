import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { refuseAuthRequest, withCorrectedStatus } from '#lib/console/auth'
import { getMe } from '#lib/services/account/get-me'
import { openBrowser, redirectUrlOf } from './auth-browser.ts'
import { type ConsoleWorld, ORIGIN, openConsoleWorld, PASSWORD } from './console-world.ts'

let world: ConsoleWorld
beforeAll(async () => {
  vi.stubEnv('NEXTAUTH_URL', ORIGIN)
  world = await openConsoleWorld()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await world.close()
})

const browser = (address = '203.0.113.50', console = world.console) => openBrowser(console, address)

describe('signing in', () => {
  it('makes a session that the console reads', async () => {
    const user = await world.newUser()
    const chrome = browser()
    const answer = await chrome.signIn(user.email, PASSWORD)
    expect(redirectUrlOf(answer)).not.toContain('error')
    expect(await world.console.sessions.read(chrome.cookieHeader())).toMatchObject(user)
    expect(await getMe({ ctx: world.as(user) })).toMatchObject({ email: user.email })
    const session = (await chrome.ask('GET', 'session')).body
    expect(session).toMatchObject({ userId: user.userId, accountId: user.accountId, role: 'holder', sessionEpoch: 0 })
  })

  it('sets cookies that scripts and other sites cannot use', async () => {
    const user = await world.newUser()
    const chrome = browser()
    await chrome.signIn(user.email, PASSWORD)
    expect(chrome.setCookies.length).toBeGreaterThan(1)
    for (const line of chrome.setCookies) {
      expect(line).toMatch(/; HttpOnly/)
      expect(line).toMatch(/; SameSite=Lax/)
      expect(line).not.toMatch(/; Secure/)
    }
  })

  it('sets secure cookies where the public address is', async () => {
    const user = await world.newUser()
    const console = { ...world.console, publicUrl: () => 'https://gate.example.com' }
    const chrome = browser('203.0.113.51', console)
    await chrome.signIn(user.email, PASSWORD)
    const session = chrome.setCookies.find((line) => line.startsWith('__Secure-next-auth.session-token='))
    expect(session).toMatch(/; Secure/)
  })

  it('needs the token against forged requests', async () => {
    const user = await world.newUser()
    const chrome = browser()
    const answer = await chrome.ask('POST', 'callback/credentials', { email: user.email, password: PASSWORD, json: 'true' })
    expect(redirectUrlOf(answer)).toContain('csrf=true')
    expect(await world.console.sessions.read(chrome.cookieHeader())).toBeNull()
  })

  it('refuses a wrong password and an unknown address alike', async () => {
    const user = await world.newUser()
    const wrong = await browser().signIn(user.email, 'something else')
    const unknown = await browser().signIn('nobody@example.com', PASSWORD)
    expect(redirectUrlOf(wrong)).toContain('error=CredentialsSignin')
    expect([unknown.status, redirectUrlOf(unknown)]).toEqual([wrong.status, redirectUrlOf(wrong)])
    const nulEmail = await browser().signIn('no\0body@example.com', PASSWORD)
    expect([nulEmail.status, redirectUrlOf(nulEmail)]).toEqual([wrong.status, redirectUrlOf(wrong)])
  })

  it('stops guessing at one email address, from wherever', async () => {
    const user = await world.newUser()
    for (let turn = 0; turn < 10; turn++) await browser(`198.51.100.${turn}`).signIn(user.email, 'guess')
    const rateLimited = await browser('198.51.100.99').signIn(user.email, PASSWORD)
    expect(redirectUrlOf(rateLimited)).toContain('error=rate_limit_exceeded')
  })

  it('says no more than that something failed, while the database is down', async () => {
    const ports = {
      ...world.console.ports,
      users: { ...world.console.ports.users, byEmail: () => Promise.reject(new Error('no route to 10.0.0.5')) },
    }
    const failed = await browser('203.0.113.52', { ...world.console, ports }).signIn('a@example.com', PASSWORD)
    expect(redirectUrlOf(failed)).toContain('error=server_error')
    expect(JSON.stringify(failed.body)).not.toContain('10.0.0.5')
  })
})

describe('a session', () => {
  it('ends everywhere when it is revoked, and its cookie is cleared', async () => {
    const user = await world.newUser()
    const chrome = browser()
    await chrome.signIn(user.email, PASSWORD)
    await world.pool.query('update app_user set session_epoch = session_epoch + 1 where id = $1', [user.userId])
    await expect.poll(() => world.console.sessions.read(chrome.cookieHeader()), { timeout: 10_000 }).toBeNull()
    expect((await chrome.ask('GET', 'session')).body).toEqual({})
    expect(chrome.setCookies.at(-1)).toMatch(/^next-auth\.session-token=;.*Max-Age=0/)
  })

  it('cannot be given another account by who holds it', async () => {
    const user = await world.newUser()
    const chrome = browser()
    await chrome.signIn(user.email, PASSWORD)
    const { csrfToken } = (await chrome.ask('GET', 'csrf')).body as { csrfToken: string }
    const data = { accountId: 'acc_other', role: 'owner' } as unknown as string
    const updated = await chrome.ask('POST', 'session', { csrfToken, data })
    expect(updated.body).toMatchObject({ accountId: user.accountId, role: 'holder' })
  })
})

describe('refuseAuthRequest', () => {
  const refusalStatus = (method: string, action: string, headers: Record<string, string> = {}) =>
    refuseAuthRequest(new Request(`${ORIGIN}/api/auth/${action}`, { method, headers }), ORIGIN)?.status
  const validHeaders = { origin: ORIGIN, 'content-length': '100', 'content-type': 'application/x-www-form-urlencoded' }

  it('lets pass what the console sends', () => {
    for (const action of ['csrf', 'session', 'providers', 'error']) expect(refusalStatus('GET', action)).toBeUndefined()
    for (const action of ['callback/credentials', 'signout', 'signin/credentials'])
      expect(refusalStatus('POST', action, validHeaders)).toBeUndefined()
  })

  it('refuses text for the log, other sites, unknown pages and bodies without an end', () => {
    expect(refusalStatus('POST', '_log', validHeaders)).toBe(204)
    expect(refusalStatus('GET', 'verify-request')).toBe(404)
    expect(refusalStatus('POST', 'callback/credentials', { ...validHeaders, origin: 'https://evil.example' })).toBe(403)
    const { 'content-length': _, ...withoutLength } = validHeaders
    expect(refusalStatus('POST', 'callback/credentials', withoutLength)).toBe(413)
    for (const type of ['application/json', 'multipart/form-data; boundary=x', 'text/plain'])
      expect(refusalStatus('POST', 'callback/credentials', { ...validHeaders, 'content-type': type })).toBe(415)
    expect(refusalStatus('GET', 'callback/credentials')).toBe(404)
    expect(refusalStatus('POST', 'callback/credentials', { ...validHeaders, 'content-length': '70000' })).toBe(413)
  })
})

describe('withTrueStatus', () => {
  const answer = (error: string, status = 401) => Response.json({ url: `${ORIGIN}/api/auth/error?error=${error}` }, { status })

  it.each([
    ['rate_limit_exceeded', 429],
    ['server_error', 500],
    ['CredentialsSignin', 401],
  ])('answers %s with %i', async (error, status) => {
    const response = await withCorrectedStatus(answer(error))
    expect(response.status).toBe(status)
    expect(await response.json()).toEqual({ url: `${ORIGIN}/api/auth/error?error=${error}` })
  })

  it('leaves other answers alone', async () => {
    expect((await withCorrectedStatus(answer('server_error', 200))).status).toBe(200)
  })
})
