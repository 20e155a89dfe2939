import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { idInput } from '#lib/console/inputs'
import { createSessions, SESSION_MAX_AGE_S } from '#lib/console/session'
import { problem } from '#lib/contracts/common'
import { sessionList } from '#lib/contracts/sign-in'
import { endOtherSessions, endSession } from '#lib/services/account/end-session'
import { listSessions } from '#lib/services/account/list-sessions'
import type { SessionUser } from '#lib/services/sign-in/sign-in-ports'
import { openBrowser } from './auth-browser.ts'
import { type ConsoleWorld, NOW, ORIGIN, openConsoleWorld, PASSWORD } from './console-world.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.2 Mobile/15E148 Safari/604.1'

let world: ConsoleWorld
beforeAll(async () => {
  vi.stubEnv('NEXTAUTH_URL', ORIGIN)
  world = await openConsoleWorld()
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await world.close()
})

const routes = () => {
  const { consoleRoute } = world.routes
  return {
    list: consoleRoute(listSessions),
    end: consoleRoute(endSession, { input: idInput }),
    endOthers: consoleRoute(endOtherSessions),
  }
}

async function signIn(email: string, address = '203.0.113.60', agent = '') {
  const browser = openBrowser(world.console, address, agent)
  await browser.signIn(email, PASSWORD)
  const user = await browser.session()
  if (!user) throw new Error('no session')
  return { browser, user }
}

const list = async (as: SessionUser) => sessionList.parse(await (await world.call(routes().list, { as })).json()).rows
const end = (as: SessionUser, id: string) => world.call(routes().end, { method: 'DELETE', params: { id }, as })

describe('the list of sessions', () => {
  it('says where from, on what, and which one asks', async () => {
    const { email } = await world.newUser()
    const linux = await signIn(email, '198.51.100.7', FIREFOX)
    const phone = await signIn(email, '2001:db8:1:2:3:4:5:6', IPHONE)
    const rows = await list(phone.user)
    expect(rows.find(({ id }) => id === linux.user.sessionId)).toMatchObject({
      current: false,
      address: '198.51.100.7',
      browser: 'Firefox',
      system: 'Linux',
    })
    expect(rows.find(({ current }) => current)).toMatchObject({
      id: phone.user.sessionId,
      address: '2001:db8:1:2::/64',
      browser: 'Safari',
      system: 'iOS',
      createdAt: NOW.toISOString(),
    })
  })

  it('has the sessions of nobody else', async () => {
    const [one, two] = [await world.newUser(), await world.newUser()]
    const mine = await signIn(one.email)
    const theirs = await signIn(two.email)
    expect((await list(mine.user)).map(({ id }) => id)).not.toContain(theirs.user.sessionId)
  })

  it('notes the use of a session to the minute', async () => {
    const { email } = await world.newUser()
    const { user } = await signIn(email)
    const other = await signIn(email)
    world.clock.at = new Date(NOW.getTime() + 5 * 60_000 + 12_345)
    // Another process, which remembers nothing yet.
    const fresh = createSessions({
      userSessions: world.console.ports.userSessions,
      clock: world.console.ports.clock,
      secret: world.console.nextAuthSecret,
      publicUrl: () => ORIGIN,
    })
    await fresh.check({ sub: user.userId, sid: user.sessionId, sessionEpoch: 0 })
    const rows = await list(other.user)
    expect(rows.find(({ id }) => id === user.sessionId)?.lastSeenAt).toBe('2026-11-20T15:25:00.000Z')
    world.clock.at = NOW
  })
})

describe('ending sessions', () => {
  it('ends one within seconds, and only that one', async () => {
    const { email } = await world.newUser()
    const [thisSession, otherSession] = [await signIn(email), await signIn(email)]
    expect((await end(thisSession.user, otherSession.user.sessionId)).status).toBe(200)
    await expect.poll(() => otherSession.browser.session(), { timeout: 10_000 }).toBeNull()
    expect(await thisSession.browser.session()).not.toBeNull()
    expect((await otherSession.browser.ask('GET', 'session')).body).toEqual({})
    expect((await end(thisSession.user, otherSession.user.sessionId)).status).toBe(404)
  })

  it("answers 404 for somebody else's session, which goes on", async () => {
    const [one, two] = [await world.newUser(), await world.newUser()]
    const mine = await signIn(one.email)
    const theirs = await signIn(two.email)
    const answer = await end(mine.user, theirs.user.sessionId)
    expect([answer.status, problem.parse(await answer.json()).error.code]).toEqual([404, 'not_found'])
    const { rows } = await world.pool.query('select 1 from user_session where id = $1', [theirs.user.sessionId])
    expect(rows).toHaveLength(1)
  })

  it('ends all others of one user', async () => {
    const [{ email }, stranger] = [await world.newUser(), await world.newUser()]
    const [thisSession, otherSession] = [await signIn(email), await signIn(email)]
    const untouched = await signIn(stranger.email)
    const answer = await world.call(routes().endOthers, { method: 'POST', body: {}, as: thisSession.user })
    // The session that newUser() opened is ended too.
    expect(await answer.json()).toEqual({ ended: 2 })
    expect((await list(thisSession.user)).map(({ id }) => id)).toEqual([thisSession.user.sessionId])
    await expect.poll(() => otherSession.browser.session(), { timeout: 10_000 }).toBeNull()
    expect(await untouched.browser.session()).not.toBeNull()
  })

  it('ends the one that signs out, even for who kept its cookie', async () => {
    const { email } = await world.newUser()
    const { browser } = await signIn(email)
    const kept = browser.cookieHeader()
    await browser.signOut()
    await expect.poll(() => world.console.sessions.read(kept), { timeout: 10_000 }).toBeNull()
  })

  it('ends the one that signs out during maintenance too', async () => {
    const { email } = await world.newUser()
    const { browser } = await signIn(email)
    const kept = browser.cookieHeader()
    const { values } = world.console.ports.liveSettings
    values.maintenance = true
    try {
      await browser.signOut()
      await expect.poll(() => world.console.sessions.read(kept), { timeout: 10_000 }).toBeNull()
    } finally {
      values.maintenance = false
    }
  })

  it('is never needed after 14 days from signing in, however it was used', async () => {
    const { email } = await world.newUser()
    const { user } = await signIn(email)
    const { userSessions } = world.console.ports
    const later = (ms: number) => new Date(NOW.getTime() + SESSION_MAX_AGE_S * 1000 + ms)
    expect(await userSessions.find(user.sessionId, later(-1))).toMatchObject({ userId: user.userId })
    expect(await userSessions.find(user.sessionId, later(0))).toBeNull()
  })

  it('believes no token that names the session of somebody else', async () => {
    const [one, two] = [await world.newUser(), await world.newUser()]
    const mine = await signIn(one.email)
    const check = { sub: two.userId, sid: mine.user.sessionId, sessionEpoch: 0 }
    expect(await world.console.sessions.check(check)).toBeNull()
    expect(await world.console.sessions.check({ sub: one.userId, sessionEpoch: 0 })).toBeNull()
  })
})
