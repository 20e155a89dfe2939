import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { removeIdentity } from '#lib/services/account/remove-identity'
import { type FakeOAuth, startOAuth } from '../fakes/oauth.ts'
import { openBrowser } from './auth-browser.ts'
import { type ConsoleWorld, NOW, ORIGIN, openConsoleWorld, PASSWORD } from './console-world.ts'
import { enableSecondStep, markEmailVerified, totpCodeAt } from './sign-in-world.ts'

let oauth: FakeOAuth
let world: ConsoleWorld
beforeAll(async () => {
  vi.stubEnv('NEXTAUTH_URL', ORIGIN)
  oauth = await startOAuth()
  world = await openConsoleWorld({ env: oauth.env })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await world.close()
  await oauth.close()
})

let people = 0
let email = ''
let address = ''
beforeEach(() => {
  const id = ++people
  email = `octo-${id}@example.com`
  address = `10.3.0.${id}`
  oauth.github = { id: 1000 + id, login: `octo-${id}`, name: null, emails: [{ email, primary: true, verified: true }] }
  oauth.google = { sub: `g-${id}`, name: 'Gee Oogle', email, email_verified: true }
  world.settings.signUp = 'open'
})

const open = () => openBrowser(world.console, address)
const usersOf = async (userEmail: string) =>
  (await world.pool.query('select * from app_user where email = $1', [userEmail])).rows as {
    id: string
    name: string
    email_verified_at: Date | null
    password_hash: string | null
  }[]

describe.each(['github', 'google'] as const)('a login by %s', (provider) => {
  it('opens an account with a proved address and no password, and finds it again', async () => {
    const chrome = open()
    expect(await chrome.signInWithProvider(provider)).toBe(`${ORIGIN}/keys`)
    const session = await chrome.session()
    expect(session).toMatchObject({ email, name: provider === 'github' ? oauth.github.login : 'Gee Oogle', role: 'holder' })
    const [user] = await usersOf(email)
    expect(user).toMatchObject({ password_hash: null, email_verified_at: NOW })
    // The email address at the provider may change. The identity does not.
    oauth.github.emails = []
    oauth.google.email = 'another@example.com'
    const secondBrowser = open()
    expect(await secondBrowser.signInWithProvider(provider)).toBe(`${ORIGIN}/keys`)
    expect((await secondBrowser.session())?.userId).toBe(session?.userId)
  })

  it('joins an account whose address was confirmed here, and tells its owner', async () => {
    const user = await world.newUser()
    await markEmailVerified(world, user)
    oauth.github.emails = [
      { email: 'else@example.com', primary: false, verified: true },
      { email: user.email.toUpperCase(), primary: true, verified: true },
    ]
    oauth.google.email = user.email.toUpperCase()
    const chrome = open()
    expect(await chrome.signInWithProvider(provider)).toBe(`${ORIGIN}/keys`)
    expect((await chrome.session())?.userId).toBe(user.userId)
    await world.console.ports.background.idle()
    expect(world.mails.at(-1)).toMatchObject({ to: user.email, subject: expect.stringContaining('can now sign in') })
  })

  it('joins no account whose address nobody confirmed here', async () => {
    const user = await world.newUser()
    oauth.github.emails = [{ email: user.email, primary: true, verified: true }]
    oauth.google.email = user.email
    const chrome = open()
    expect(await chrome.signInWithProvider(provider)).toBe(`${ORIGIN}/sign-in?error=not_joined&next=%2Fkeys`)
    expect(await chrome.session()).toBeNull()
    // It is joined after the password and the confirmation.
    await markEmailVerified(world, user)
    expect(await chrome.signInWithProvider(provider)).toBe(`${ORIGIN}/keys`)
  })

  it('is refused without a verified address', async () => {
    oauth.github.emails = [{ email, primary: true, verified: false }]
    oauth.google.email_verified = false
    const chrome = open()
    expect(await chrome.signInWithProvider(provider)).toBe(`${ORIGIN}/sign-in?error=unverified&next=%2Fkeys`)
    expect(await chrome.session()).toBeNull()
    expect(await usersOf(email)).toEqual([])
  })

  it('opens no account while sign-up is closed, and lets in who has one', async () => {
    const before = open()
    await before.signInWithProvider(provider)
    world.settings.signUp = 'closed'
    expect(await open().signInWithProvider(provider)).toBe(`${ORIGIN}/keys`)
    oauth.github.id += 100_000
    oauth.google.sub += 'x'
    oauth.google.email = `new-${email}`
    oauth.github.emails = [{ email: `new-${email}`, primary: true, verified: true }]
    expect(await open().signInWithProvider(provider)).toBe(`${ORIGIN}/sign-in?error=closed&next=%2Fkeys`)
  })

  it('makes one account of two logins at once', async () => {
    const ends = await Promise.all([open().signInWithProvider(provider), open().signInWithProvider(provider)])
    expect(ends).toEqual([`${ORIGIN}/keys`, `${ORIGIN}/keys`])
    expect(await usersOf(email)).toHaveLength(1)
  })

  it('has no session before its second step, and a code opens it once', async () => {
    const user = await world.newUser()
    await markEmailVerified(world, user)
    const { secret } = await enableSecondStep(world, user)
    oauth.github.emails = [{ email: user.email, primary: true, verified: true }]
    oauth.google.email = user.email
    const chrome = open()
    const end = new URL(await chrome.signInWithProvider(provider))
    expect([end.pathname, end.search]).toEqual(['/sign-in', '?next=%2Fkeys'])
    expect(await chrome.session()).toBeNull()
    expect((await chrome.ask('GET', 'session')).body).toEqual({})
    const token = new URLSearchParams(end.hash.slice(1)).get('second-step') ?? ''
    expect(await chrome.submitCredentials({ token, code: '000000' })).toBe('wrong_code')
    expect(await chrome.session()).toBeNull()
    const code = totpCodeAt(secret, NOW.getTime() + 30_000)
    expect(await chrome.submitCredentials({ token, code })).toBeNull()
    expect((await chrome.session())?.userId).toBe(user.userId)
    expect(await open().submitCredentials({ token, code })).toBe('CredentialsSignin')
  })

  it('is refused when it comes back to another browser, or with a code that was used', async () => {
    const chrome = open()
    const callbackUrl = (await fetch(await chrome.startSignIn(provider), { redirect: 'manual' })).headers.get('location') ?? ''
    const other = open()
    await other.startSignIn(provider)
    expect(String((await other.ask('GET', callbackUrl)).headers.get('location'))).toContain('error=')
    expect(await other.session()).toBeNull()
    await chrome.ask('GET', callbackUrl)
    expect(await chrome.session()).not.toBeNull()
    const secondBrowser = open()
    await secondBrowser.ask('GET', callbackUrl)
    expect(await secondBrowser.session()).toBeNull()
  })
})

describe('logins of an account', () => {
  it('cannot be removed where nothing else signs in to it', async () => {
    const chrome = open()
    await chrome.signInWithProvider('github')
    const user = await chrome.session()
    if (!user) throw new Error('no session')
    const ctx = world.as(user)
    await expect(removeIdentity({ ctx, input: { provider: 'github' } })).rejects.toMatchObject({ code: 'conflict' })
    await chrome.signInWithProvider('google')
    const both = (['github', 'google'] as const).map((provider) => removeIdentity({ ctx, input: { provider } }))
    expect((await Promise.allSettled(both)).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('of nobody take a password', async () => {
    await open().signInWithProvider('github')
    expect(await open().submitCredentials({ email, password: PASSWORD })).toBe('CredentialsSignin')
  })

  it('cannot be removed by somebody else', async () => {
    const chrome = open()
    await chrome.signInWithProvider('github')
    const stranger = await world.newUser()
    await expect(removeIdentity({ ctx: world.as(stranger), input: { provider: 'github' } })).rejects.toMatchObject({
      code: 'conflict',
    })
    expect(await open().signInWithProvider('github')).toBe(`${ORIGIN}/keys`)
  })
})

describe('what a stranger writes into the address of a login', () => {
  it('does not get into the log', async () => {
    world.errors.length = 0
    await open().ask('GET', 'callback/github?error=look-here')
    expect(world.errors).not.toEqual([])
    expect(JSON.stringify(world.errors)).not.toContain('look-here')
  })
})
