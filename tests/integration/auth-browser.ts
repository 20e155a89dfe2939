/** A browser that signs in, as next-auth sees it, for the tests beside this file. */
import NextAuth, { type NextAuthOptions } from 'next-auth'
import { authOptionsOf } from '#lib/console/auth'
import type { Console } from '#lib/console/runtime'
import { ORIGIN } from './console-world.ts'

// next-auth's handler for Next's older router takes plain objects, so it runs without Next around it.
type Handle = (request: object, response: object, options: NextAuthOptions) => Promise<unknown>
const loaded: unknown = NextAuth
const nextAuth = (typeof loaded === 'function' ? loaded : (loaded as { default: unknown }).default) as Handle

/** Opens a browser. NEXTAUTH_URL must be ORIGIN. */
export function openBrowser(console: Console, address = '203.0.113.50', agent = '') {
  const headers = { host: 'localhost:3000', 'x-tollgate-address': address, 'user-agent': agent }
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
      send: (sent: unknown) => Object.assign(answer, { body: sent }),
      json: (sent: unknown) => Object.assign(answer, { body: sent }),
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
    async enter(given: Record<string, string>): Promise<string | null> {
      return new URL(urlOf(await browser.post(given))).searchParams.get('error')
    },
    post: async (given: Record<string, string>) =>
      ask('POST', 'callback/credentials', { csrfToken: await token(), ...given, json: 'true' }),
    signIn: (email: string, password: string) => browser.post({ email, password }),
    signOut: async () => ask('POST', 'signout', { csrfToken: await token(), json: 'true' }),
    /** The provider's address that pressing its button leads to. */
    async start(provider: string): Promise<string> {
      const form = { csrfToken: await token(), callbackUrl: `${ORIGIN}/keys`, json: 'true' }
      return urlOf(await ask('POST', `signin/${provider}`, form))
    },
    /** Goes to a provider and back. Returns the address where that ends. */
    async signInWith(provider: string): Promise<string> {
      const back = (await fetch(await browser.start(provider), { redirect: 'manual' })).headers.get('location') ?? ''
      return String((await ask('GET', back)).headers.get('location'))
    },
  }
  return browser
}

/** The address that next-auth redirects to, as it reports it to a script. */
export const urlOf = (answer: { body: unknown }) => (answer.body as { url: string }).url
