/** A browser that signs in, as next-auth sees it, for the tests beside this file. */
import NextAuth, { type NextAuthOptions } from 'next-auth'
import { authOptionsOf } from '#lib/console/auth'
import type { Console } from '#lib/console/runtime'
import { ORIGIN } from './console-world.ts'

// next-auth's handler for Next's older router takes plain objects, so it runs without Next around it.
type NextAuthHandler = (request: object, response: object, options: NextAuthOptions) => Promise<unknown>
const nextAuthModule: unknown = NextAuth
const nextAuth = (
  typeof nextAuthModule === 'function' ? nextAuthModule : (nextAuthModule as { default: unknown }).default
) as NextAuthHandler

/** Opens a browser. NEXTAUTH_URL must be ORIGIN. */
export function openBrowser(console: Console, address = '203.0.113.50', userAgent = '') {
  const headers = { host: 'localhost:3000', 'x-tollgate-address': address, 'user-agent': userAgent }
  const cookies: Record<string, string> = {}
  const setCookies: string[] = []
  async function ask(method: string, path: string, body: Record<string, string> = {}) {
    const { pathname, searchParams } = new URL(path, `${ORIGIN}/api/auth/`)
    const answer = { status: 200, body: undefined as unknown, headers: new Map<string, unknown>() }
    const response = {
      status(code: number) {
        answer.status = code
        return response
      },
      getHeader: (name: string) => answer.headers.get(name.toLowerCase()),
      setHeader: (name: string, value: unknown) => answer.headers.set(name.toLowerCase(), value),
      send: (payload: unknown) => Object.assign(answer, { body: payload }),
      json: (payload: unknown) => Object.assign(answer, { body: payload }),
      end: () => answer,
    }
    const nextauth = pathname.replace('/api/auth/', '').split('/')
    const request = { method, cookies, body, query: { ...Object.fromEntries(searchParams), nextauth }, headers }
    await nextAuth(request, response, authOptionsOf(console, new Headers({ ...headers, cookie: browser.cookieHeader() })))
    for (const line of [answer.headers.get('set-cookie') ?? []].flat() as string[]) {
      const [pair = ''] = line.split(';')
      setCookies.push(line)
      const [name, value] = [pair.slice(0, pair.indexOf('=')), decodeURIComponent(pair.slice(pair.indexOf('=') + 1))]
      if (value === '') delete cookies[name]
      else cookies[name] = value
    }
    return answer
  }
  const token = async () => ((await ask('GET', 'csrf')).body as { csrfToken: string }).csrfToken
  const browser = {
    setCookies,
    ask,
    cookieHeader: () =>
      Object.entries(cookies)
        .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
        .join('; '),
    /** The session of the person who is signed in. */
    session: () => console.sessions.read(browser.cookieHeader()),
    /** Posts to the credentials provider. Returns the error, or null if it worked. */
    async submitCredentials(credentials: Record<string, string>): Promise<string | null> {
      return new URL(redirectUrlOf(await browser.post(credentials))).searchParams.get('error')
    },
    post: async (credentials: Record<string, string>) =>
      ask('POST', 'callback/credentials', { csrfToken: await token(), ...credentials, json: 'true' }),
    signIn: (email: string, password: string) => browser.post({ email, password }),
    signOut: async () => ask('POST', 'signout', { csrfToken: await token(), json: 'true' }),
    /** The provider's address that pressing its button leads to. */
    async startSignIn(provider: string): Promise<string> {
      const form = { csrfToken: await token(), callbackUrl: `${ORIGIN}/keys`, json: 'true' }
      return redirectUrlOf(await ask('POST', `signin/${provider}`, form))
    },
    /** Goes to a provider and back. Returns the address where that ends. */
    async signInWithProvider(provider: string): Promise<string> {
      const redirectUrl = (await fetch(await browser.startSignIn(provider), { redirect: 'manual' })).headers.get('location') ?? ''
      return String((await ask('GET', redirectUrl)).headers.get('location'))
    },
  }
  return browser
}

/** The address that next-auth redirects to, as it reports it to a script. */
export const redirectUrlOf = (answer: { body: unknown }) => (answer.body as { url: string }).url
