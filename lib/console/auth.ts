import type { NextAuthOptions, User } from 'next-auth'
import type { CredentialsConfig } from 'next-auth/providers/credentials'
import type { SignedIn } from '../services/ports.ts'
import { asServiceError } from '../services/service-error.ts'
import { signIn } from '../services/sign-in.ts'
import { clientAddress } from './address.ts'
import { MAX_BODY_BYTES } from './body.ts'
import { isOwnOrigin } from './origin.ts'
import type { ConsoleLog } from './problem.ts'
import type { Console } from './runtime.ts'
import { SESSION_MAX_AGE_S, type SessionClaims } from './session.ts'

export interface AuthParts {
  /** Resolves to who it is, or throws a ServiceError. */
  signIn(input: { email: string; password: string; address: string }): Promise<SignedIn>
  /** Null where a session was revoked or its user is gone. */
  checkSession(claims: SessionClaims): Promise<SignedIn | null>
  secret: string
  publicUrl: string
  log: ConsoleLog
}

type AuthRequest = Parameters<CredentialsConfig['authorize']>[1]

/** What authorize hands on to the token. */
interface AuthUser extends User {
  signedIn: SignedIn
}

const headersOf = (request: AuthRequest): Headers => new Headers((request.headers ?? {}) as Record<string, string>)

/** Written out rather than imported: the library's own is the same object behind a CommonJS default. */
function credentials({ signIn: enter, log }: AuthParts): CredentialsConfig {
  return {
    id: 'credentials',
    name: 'Credentials',
    type: 'credentials',
    credentials: { email: {}, password: {} },
    async authorize(given, request) {
      const { email, password } = given ?? {}
      if (typeof email !== 'string' || typeof password !== 'string') return null
      try {
        const signedIn = await enter({ email, password, address: clientAddress(headersOf(request)) })
        return { id: signedIn.userId, name: signedIn.name, email: signedIn.email, signedIn }
      } catch (error) {
        const known = asServiceError(error)
        if (known?.code === 'wrong_credentials') return null
        if (!known) log.error({ error: error instanceof Error ? error.message : String(error) }, 'signing in failed')
        // next-auth shows an error's message to whoever asked, so it is a code and nothing more.
        throw new Error(known?.code ?? 'server_error')
      }
    },
  }
}

function cookieOptions(publicUrl: string) {
  return { httpOnly: true, sameSite: 'lax', path: '/', secure: publicUrl.startsWith('https:') } as const
}

/** next-auth's settings. Nothing is read from the environment but NEXTAUTH_URL, which next-auth itself reads. */
export function authOptions(parts: AuthParts): NextAuthOptions {
  const secure = parts.publicUrl.startsWith('https:')
  const options = cookieOptions(parts.publicUrl)
  return {
    providers: [credentials(parts)],
    secret: parts.secret,
    session: { strategy: 'jwt', maxAge: SESSION_MAX_AGE_S },
    useSecureCookies: secure,
    cookies: {
      sessionToken: { name: `${secure ? '__Secure-' : ''}next-auth.session-token`, options },
      callbackUrl: { name: `${secure ? '__Secure-' : ''}next-auth.callback-url`, options },
      csrfToken: { name: `${secure ? '__Host-' : ''}next-auth.csrf-token`, options },
    },
    pages: { signIn: '/sign-in', error: '/sign-in', signOut: '/sign-in' },
    callbacks: {
      async jwt({ token, user }) {
        const entered = user ? (user as AuthUser).signedIn : await parts.checkSession(token)
        // next-auth takes an error here for the end of the session and clears its cookie.
        if (!entered) throw new Error('the session was revoked')
        const { userId, accountId, role, sessionEpoch, name, email } = entered
        return { sub: userId, userId, accountId, role, sessionEpoch, name, email }
      },
      session({ session, token }) {
        const { userId, accountId, role, sessionEpoch } = token
        return { ...session, userId, accountId, role, sessionEpoch }
      },
    },
    logger: {
      error(code, detail) {
        // A session that has ended is no fault of ours, and everybody has one some day.
        if (code === 'JWT_SESSION_ERROR') return
        parts.log.error({ code, error: detail instanceof Error ? detail.message : undefined }, 'next-auth')
      },
      warn: (code) => parts.log.warn({ code }, 'next-auth'),
      debug: () => {},
    },
  }
}

/** The settings for a console, whose verbs know who may sign in. */
export function authOptionsOf({ ports, sessions, nextAuthSecret, publicUrl, log }: Console): NextAuthOptions {
  return authOptions({
    signIn: ({ address, ...input }) => signIn({ ctx: { ...ports, address }, input }),
    checkSession: (claims) => sessions.check(claims),
    secret: nextAuthSecret,
    publicUrl: publicUrl(),
    log,
  })
}

const ACTIONS = new Set(['csrf', 'session', 'providers', 'signin', 'signout', 'callback', 'error'])

/**
 * What must not reach next-auth: anybody's text for our log, bodies without end, and posts from other
 * sites. Null where a request may go on.
 */
export function refuseAuthRequest(request: Request, publicUrl: string): Response | null {
  const action = new URL(request.url).pathname.split('/api/auth/')[1]?.split('/')[0] ?? ''
  if (action === '_log') return new Response(null, { status: 204 })
  if (!ACTIONS.has(action))
    return Response.json({ error: { code: 'not_found', message: 'There is no such page.' } }, { status: 404 })
  if (request.method !== 'POST') return null
  if (!isOwnOrigin(request.headers, publicUrl)) {
    return Response.json({ error: { code: 'wrong_origin', message: 'Sign in from the console itself.' } }, { status: 403 })
  }
  // next-auth reads a body whole. Node holds a request to the length it states.
  const length = request.headers.get('content-length')
  const allowed = length !== null && Number(length) <= MAX_BODY_BYTES
  return allowed ? null : Response.json({ error: { code: 'too_large', message: 'Send less at once.' } }, { status: 413 })
}

const STATUS_OF_ERROR: Record<string, number> = { rate_limit_exceeded: 429, server_error: 500 }

/** next-auth answers 401 to everything that went wrong in authorize; only wrong credentials are one. */
export async function withTrueStatus(response: Response): Promise<Response> {
  if (response.status !== 401) return response
  const text = await response.clone().text()
  const code = Object.keys(STATUS_OF_ERROR).find((name) => text.includes(`error=${name}`))
  const status = code === undefined ? undefined : STATUS_OF_ERROR[code]
  return status === undefined ? response : new Response(text, { status, headers: response.headers })
}
