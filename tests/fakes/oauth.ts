import { createHash, generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listen } from './listen.ts'

export const CLIENT_ID = 'client-for-tests'
export const CLIENT_SECRET = 'secret-for-tests'

/** A fake of GitHub (an Enterprise server) and of Google. Everyone who signs in is the person set here. */
export interface FakeOAuth {
  readonly url: string
  github: { id: number; login: string; name: string | null; emails: { email: string; primary: boolean; verified: boolean }[] }
  google: { sub: string; name: string; email: string; email_verified: boolean }
  /** The settings of a gateway that uses it for sign-in. */
  env: Record<
    | 'GITHUB_CLIENT_ID'
    | 'GITHUB_CLIENT_SECRET'
    | 'GITHUB_BASE_URL'
    | 'GOOGLE_CLIENT_ID'
    | 'GOOGLE_CLIENT_SECRET'
    | 'GOOGLE_ISSUER',
    string
  >
  close(): Promise<void>
}

interface Grant {
  challenge: string
  redirectUri: string
}

const json = (response: ServerResponse, body: unknown, status = 200) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

async function formOf(request: IncomingMessage): Promise<URLSearchParams> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return new URLSearchParams(Buffer.concat(chunks).toString())
}

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Starts the fake. Close it afterwards. */
export async function startOAuth(): Promise<FakeOAuth> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const grants = new Map<string, Grant>()
  const tokens = new Set<string>()

  function authorize(query: URLSearchParams, response: ServerResponse): void {
    const [challenge, redirectUri, state] = ['code_challenge', 'redirect_uri', 'state'].map((name) => query.get(name))
    if (!challenge || !redirectUri || !state || query.get('code_challenge_method') !== 'S256') return void json(response, {}, 400)
    const code = randomUUID()
    grants.set(code, { challenge, redirectUri })
    const back = new URL(redirectUri)
    back.search = String(new URLSearchParams({ code, state }))
    response.writeHead(302, { location: back.href }).end()
  }

  function idToken(): string {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: fake.url, aud: CLIENT_ID, iat: now, exp: now + 600, ...fake.google }
    const text = `${part({ alg: 'RS256', kid: 'one' })}.${part(claims)}`
    return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
  }

  async function exchange(request: IncomingMessage, response: ServerResponse, google: boolean): Promise<void> {
    const form = await formOf(request)
    const basic = `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}`
    const code = form.get('code') ?? ''
    const grant = grants.get(code)
    grants.delete(code)
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    if (
      request.headers.authorization !== basic ||
      grant?.challenge !== challenge ||
      grant.redirectUri !== form.get('redirect_uri')
    )
      return void json(response, { error: 'invalid_grant' }, 400)
    const token = randomUUID()
    tokens.add(token)
    json(response, { access_token: token, token_type: 'bearer', scope: 'x', ...(google ? { id_token: idToken() } : {}) })
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const { pathname, searchParams } = new URL(request.url ?? '/', fake.url)
    const known = tokens.has(request.headers.authorization?.replace(/^Bearer /, '') ?? '')
    if (pathname === '/login/oauth/authorize' || pathname === '/google/authorize') return authorize(searchParams, response)
    if (pathname === '/login/oauth/access_token') return exchange(request, response, false)
    if (pathname === '/google/token') return exchange(request, response, true)
    if (pathname === '/api/v3/user' && known)
      return json(response, { ...fake.github, emails: undefined, avatar_url: 'http://elsewhere' })
    if (pathname === '/api/v3/user/emails' && known) return json(response, fake.github.emails)
    if (pathname === '/google/keys')
      return json(response, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }] })
    if (pathname === '/.well-known/openid-configuration')
      return json(response, {
        issuer: fake.url,
        authorization_endpoint: `${fake.url}/google/authorize`,
        token_endpoint: `${fake.url}/google/token`,
        jwks_uri: `${fake.url}/google/keys`,
        response_types_supported: ['code'],
        id_token_signing_alg_values_supported: ['RS256'],
      })
    return json(response, {}, 404)
  }

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const { origin: url, close } = await listen(server)
  const fake: FakeOAuth = {
    url,
    github: { id: 1, login: 'octo', name: null, emails: [] },
    google: { sub: 'g1', name: 'Gee', email: '', email_verified: false },
    env: {
      ...{ GITHUB_CLIENT_ID: CLIENT_ID, GITHUB_CLIENT_SECRET: CLIENT_SECRET, GITHUB_BASE_URL: url },
      ...{ GOOGLE_CLIENT_ID: CLIENT_ID, GOOGLE_CLIENT_SECRET: CLIENT_SECRET, GOOGLE_ISSUER: url },
    },
    close,
  }
  return fake
}
