import type { NextAuthOptions, User } from 'next-auth'
import type { CredentialsConfig } from 'next-auth/providers/credentials'
import type { OAuthConfig } from 'next-auth/providers/oauth'
import { type Provider, provider as providerName } from '../contracts/sign-in.ts'
import { asServiceError } from '../services/service-error.ts'
import { finishSignIn } from '../services/sign-in/finish-sign-in.ts'
import { openSession } from '../services/sign-in/open-session.ts'
import { signIn } from '../services/sign-in/sign-in.ts'
import type { SessionUser, SignedInUser } from '../services/sign-in/sign-in-ports.ts'
import { type ProviderLogin, type ProviderOutcome, signInWithProvider } from '../services/sign-in/sign-in-with-provider.ts'
import { MAX_BODY_BYTES } from './body.ts'
import { cookieOf, unescapeCookie } from './cookie.ts'
import { isOwnOrigin } from './origin.ts'
import { type ConsoleLog, jsonAnswer } from './problem.ts'
import type { Person } from './providers.ts'
import type { Console } from './runtime.ts'
import { SESSION_MAX_AGE_S, type SessionClaims } from './session.ts'
import { guestOf, visitorOf } from './visitor.ts'

export interface AuthParts {
  /** Resolves to the user, or throws a ServiceError. */
  signIn(input: { email: string; password: string; code: string | undefined }): Promise<SignedInUser>
  /** The second step of a login by a provider. Resolves to the user, or throws a ServiceError. */
  finishSecondStep(input: { token: string; code: string }): Promise<SignedInUser>
  enterWithProvider(login: ProviderLogin): Promise<ProviderOutcome>
  /** Begins the session of a user who has passed every step. */
  openSession(user: SignedInUser): Promise<SessionUser>
  endSession(userId: string, sessionId: string): Promise<unknown>
  /** Returns null if the session was revoked or its user is gone. */
  checkSession(claims: SessionClaims): Promise<SessionUser | null>
  providers: OAuthConfig<Person>[]
  /** The request's Cookie header, in which next-auth keeps the address to return to after a login. */
  cookies: string | null
  secret: string
  publicUrl: string
  log: ConsoleLog
}

/** What a step passes on to the token. */
interface AuthUser extends User {
  signedIn?: SignedInUser
}

type CredentialsInput = Partial<Record<'email' | 'password' | 'code' | 'token', unknown>>

const MAX_CODE_LENGTH = 64
const MAX_TOKEN_LENGTH = 100

const textOf = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' && value !== '' && value.length <= maxLength ? value : undefined

async function authenticate(parts: AuthParts, fields: CredentialsInput): Promise<SignedInUser | null> {
  const { email, password } = fields
  const code = textOf(fields.code, MAX_CODE_LENGTH)
  const token = textOf(fields.token, MAX_TOKEN_LENGTH)
  if (token !== undefined) return code === undefined ? null : parts.finishSecondStep({ token, code })
  return typeof email === 'string' && typeof password === 'string' ? parts.signIn({ email, password, code }) : null
}

/** Written out and not imported: the library's own function builds the same object, behind a CommonJS default export. */
function credentials(parts: AuthParts): CredentialsConfig {
  return {
    id: 'credentials',
    name: 'Credentials',
    type: 'credentials',
    credentials: { email: {}, password: {}, code: {}, token: {} },
    async authorize(fields) {
      try {
        const signedIn = await authenticate(parts, fields ?? {})
        return signedIn && { id: signedIn.userId, name: signedIn.name, email: signedIn.email, signedIn }
      } catch (error) {
        const known = asServiceError(error)
        if (known?.code === 'wrong_credentials') return null
        if (!known) parts.log.error({ error: error instanceof Error ? error.message : String(error) }, 'sign-in failed')
        // next-auth shows an error's message to the client, so it is only a code.
        throw new Error(known?.code ?? 'server_error')
      }
    },
  }
}

const isSecure = (publicUrl: string): boolean => publicUrl.startsWith('https:')

function cookieOptions(publicUrl: string) {
  return { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure(publicUrl) } as const
}

const callbackCookie = (publicUrl: string): string => `${isSecure(publicUrl) ? '__Secure-' : ''}next-auth.callback-url`

/** The page of the console that the user wanted to open before the provider was asked; null if there is none. */
function requestedPageOf({ cookies, publicUrl }: AuthParts): string | null {
  const cookieValue = cookieOf(cookies, callbackCookie(publicUrl))
  const requestedUrl = cookieValue === null ? null : URL.parse(unescapeCookie(cookieValue))
  return requestedUrl?.origin === new URL(publicUrl).origin ? requestedUrl.pathname + requestedUrl.search : null
}

/**
 * Lets a login by a provider continue, or redirects it. Without an adapter, next-auth passes the same `user` object on to the
 * token, which is how the token learns who the user is.
 */
async function enterOAuth(parts: AuthParts, user: AuthUser, oauthAccount: { provider: string; providerAccountId: string }) {
  const next = requestedPageOf(parts)
  const page = (more: Record<string, string>, hash = '') => {
    const query = new URLSearchParams({ ...more, ...(next === null ? {} : { next }) }).toString()
    return `${parts.publicUrl}/sign-in${query === '' ? '' : `?${query}`}${hash}`
  }
  const parsed = providerName.safeParse(oauthAccount.provider)
  if (!parsed.success) return false
  const name = user.name ?? ''
  const login = {
    provider: parsed.data as Provider,
    providerAccountId: oauthAccount.providerAccountId,
    name,
    email: user.email || null,
  }
  const entered = await parts.enterWithProvider(login)
  if (entered.outcome === 'refused') return page({ error: entered.why })
  // After the #, so that it appears neither in a log nor on another page.
  if (entered.outcome === 'second_step') return page({}, `#second-step=${entered.token}`)
  user.signedIn = entered.user
  return true
}

function callbacks(parts: AuthParts): NonNullable<NextAuthOptions['callbacks']> {
  return {
    async signIn({ user, account }) {
      if (account?.type !== 'oauth') return true
      try {
        return await enterOAuth(parts, user, account)
      } catch (error) {
        // next-auth shows the message of what is thrown here to the client.
        parts.log.error({ error: error instanceof Error ? error.message : String(error) }, 'sign-in with a provider failed')
        throw new Error('server_error')
      }
    },
    async jwt({ token, user }) {
      const signedIn = user ? (user as AuthUser).signedIn : undefined
      const entered = user ? signedIn && (await parts.openSession(signedIn)) : await parts.checkSession(token)
      // next-auth takes an error here as the end of the session and clears its cookie.
      if (!entered) throw new Error('the session was revoked')
      const { userId, accountId, role, sessionEpoch, sessionId, name, email } = entered
      return { sub: userId, sid: sessionId, userId, accountId, role, sessionEpoch, name, email }
    },
    session({ session, token }) {
      const { userId, accountId, role, sessionEpoch } = token
      return { ...session, userId, accountId, role, sessionEpoch }
    },
  }
}

/** Codes under which next-auth passes on text that a stranger wrote into a URL. */
const UNTRUSTED_DETAIL_CODES = /^OAUTH_CALLBACK/

/** next-auth's settings. The only environment variable that is read is NEXTAUTH_URL, by next-auth itself. */
export function authOptions(parts: AuthParts): NextAuthOptions {
  const secure = isSecure(parts.publicUrl)
  const options = cookieOptions(parts.publicUrl)
  return {
    providers: [credentials(parts), ...parts.providers],
    secret: parts.secret,
    session: { strategy: 'jwt', maxAge: SESSION_MAX_AGE_S },
    useSecureCookies: secure,
    cookies: {
      sessionToken: { name: `${secure ? '__Secure-' : ''}next-auth.session-token`, options },
      callbackUrl: { name: callbackCookie(parts.publicUrl), options },
      csrfToken: { name: `${secure ? '__Host-' : ''}next-auth.csrf-token`, options },
    },
    pages: { signIn: '/sign-in', error: '/sign-in', signOut: '/sign-in' },
    callbacks: callbacks(parts),
    events: {
      async signOut({ token }) {
        if (typeof token?.sub === 'string' && typeof token.sid === 'string') await parts.endSession(token.sub, token.sid)
      },
    },
    logger: {
      error(code, detail) {
        // The end of a session is not an error, and every session ends.
        if (code === 'JWT_SESSION_ERROR') return
        const error = detail instanceof Error && !UNTRUSTED_DETAIL_CODES.test(code) ? detail.message : undefined
        parts.log.error({ code, error }, 'next-auth')
      },
      warn: (code) => parts.log.warn({ code }, 'next-auth'),
      debug: () => {},
    },
  }
}

/** The next-auth settings for a console, whose verbs know who may sign in, and for a request with these headers. */
export function authOptionsOf(parts: Console, headers: Headers): NextAuthOptions {
  const ctx = { ...parts.ports, ...guestOf(headers) }
  return authOptions({
    signIn: (input) => signIn({ ctx, input }),
    finishSecondStep: (input) => finishSignIn({ ctx, input }),
    enterWithProvider: (input) => signInWithProvider({ ctx, input }),
    openSession: (user) => openSession(ctx, user, visitorOf(headers), SESSION_MAX_AGE_S * 1000),
    endSession: (userId, sessionId) => ctx.userSessions.end(userId, sessionId, ctx.clock.now()),
    checkSession: (claims) => parts.sessions.check(claims),
    providers: parts.providers.map(({ config }) => config),
    cookies: headers.get('cookie'),
    secret: parts.nextAuthSecret,
    publicUrl: parts.publicUrl(),
    log: parts.log,
  })
}

const ACTIONS = new Set(['csrf', 'session', 'providers', 'signin', 'signout', 'callback', 'error'])

const FORM_CONTENT_TYPE = 'application/x-www-form-urlencoded'

const refusal = (status: number, code: string, message: string): Response => jsonAnswer({ error: { code, message } }, status)

/**
 * Refuses what must not reach next-auth: text from anybody for our log, bodies that are unlimited or that it cannot read, and
 * posts from other sites. Returns null if the request may continue.
 */
export function refuseAuthRequest(request: Request, publicUrl: string): Response | null {
  const action = new URL(request.url).pathname.split('/api/auth/')[1]?.split('/')[0] ?? ''
  if (action === '_log') return new Response(null, { status: 204 })
  const isCredentialsCallback = new URL(request.url).pathname.endsWith('/callback/credentials')
  if (!ACTIONS.has(action) || (isCredentialsCallback && request.method !== 'POST'))
    return refusal(404, 'not_found', 'There is no such page.')
  if (request.method !== 'POST') return null
  if (!isOwnOrigin(request.headers, publicUrl)) return refusal(403, 'wrong_origin', 'Sign in from the console itself.')
  if (request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() !== FORM_CONTENT_TYPE)
    return refusal(415, 'wrong_content', `Send "Content-Type: ${FORM_CONTENT_TYPE}".`)
  // next-auth reads the whole body. Node holds a request to its Content-Length.
  const length = request.headers.get('content-length')
  const allowed = length !== null && Number(length) <= MAX_BODY_BYTES
  return allowed ? null : refusal(413, 'too_large', 'Send less at once.')
}

const STATUS_OF_ERROR: Record<string, number> = { rate_limit_exceeded: 429, server_error: 500 }

/** Corrects the status: next-auth answers 401 to every error in authorize, but only wrong credentials are a 401. */
export async function withCorrectedStatus(response: Response): Promise<Response> {
  if (response.status !== 401) return response
  const text = await response.clone().text()
  const code = Object.keys(STATUS_OF_ERROR).find((name) => text.includes(`error=${name}`))
  const status = code === undefined ? undefined : STATUS_OF_ERROR[code]
  return status === undefined ? response : new Response(text, { status, headers: response.headers })
}
