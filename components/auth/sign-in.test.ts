import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { signInWithCredentials, signInWithProvider } from './sign-in.ts'

const PAGE = 'http://localhost:3000/sign-in'
const location = { href: PAGE, origin: 'http://localhost:3000', assign: vi.fn() }
const PAIR = { email: 'a@example.com', password: 'secret' }

/** The server's response to a post, as next-auth sends it. Null is a server that does not respond. */
function answering(status: number, url: string | null) {
  const posts: [string, string][] = []
  vi.stubGlobal('fetch', async (path: string, init: RequestInit) => {
    if (url === null) throw new TypeError('Failed to fetch')
    if (path === '/api/auth/csrf') return Response.json({ csrfToken: 'token' })
    posts.push([path, String(init.body)])
    return Response.json({ url }, { status })
  })
  return posts
}

beforeEach(() => {
  location.href = PAGE
  location.assign.mockClear()
  vi.stubGlobal('window', { location })
})
afterEach(() => {
  vi.unstubAllGlobals()
})

describe('enter', () => {
  it('posts the pair with the token against forged posts', async () => {
    const posts = answering(200, `${PAGE}/x`)
    expect(await signInWithCredentials(PAIR)).toBe('in')
    expect(posts.map(([path, body]) => [path, Object.fromEntries(new URLSearchParams(body))])).toEqual([
      ['/api/auth/callback/credentials', { ...PAIR, callbackUrl: PAGE, csrfToken: 'token', json: 'true' }],
    ])
  })

  it.each([
    [401, 'CredentialsSignin', 'wrong'],
    [401, 'second_step', 'code'],
    [401, 'wrong_code', 'wrongCode'],
    [429, 'rate_limit_exceeded', 'limited'],
    [500, 'server_error', 'failed'],
  ])('%i %s is %s', async (status, error, entered) => {
    answering(status, `http://localhost:3000/api/auth/error?error=${error}`)
    expect(await signInWithCredentials(PAIR)).toBe(entered)
  })

  it('stays on the page where the server is not there, or takes the token no more', async () => {
    answering(200, null)
    await expect(signInWithCredentials(PAIR)).rejects.toThrow()
    answering(200, 'http://localhost:3000/api/auth/signin?csrf=true')
    await expect(signInWithCredentials(PAIR)).rejects.toThrow()
    expect([location.href, location.assign.mock.calls]).toEqual([PAGE, []])
  })
})

describe('enterWith', () => {
  it('leads to the provider, and nowhere where the server is not there', async () => {
    const posts = answering(200, 'https://github.com/login/oauth/authorize?x=1')
    await signInWithProvider('github', '/keys')
    expect(posts[0]?.[0]).toBe('/api/auth/signin/github')
    expect(new URLSearchParams(posts[0]?.[1]).get('callbackUrl')).toBe('/keys')
    expect(location.assign.mock.calls.map(String)).toEqual(['https://github.com/login/oauth/authorize?x=1'])
    answering(200, null)
    await expect(signInWithProvider('github', '/keys')).rejects.toThrow()
    expect(location.assign).toHaveBeenCalledTimes(1)
  })
})
