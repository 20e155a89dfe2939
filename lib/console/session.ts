import { LRUCache } from 'lru-cache'
import type { Locale } from '../contracts/locales.ts'
import type { Clock } from '../services/ports.ts'
import type { SessionUser, UserSessions } from '../services/sign-in/sign-in-ports.ts'
import { cookieOf } from './cookie.ts'

/** How long a session lasts after signing in, in seconds. */
export const SESSION_MAX_AGE_S = 14 * 24 * 3600
/** How long a revoked session may still be accepted, in milliseconds. */
const CACHE_TTL_MS = 2000
const MAX_CACHED_SESSIONS = 10_000

/** The claims of a session's token. Only the ids and the epoch are used, and they are checked against the database. */
export interface SessionClaims {
  sub?: unknown
  sid?: unknown
  sessionEpoch?: unknown
}

export interface Sessions {
  /** The user of a token as of now; null if the user is gone or the session was revoked. */
  check(claims: SessionClaims, fresh?: boolean): Promise<SessionUser | null>
  /**
   * The user of a request's Cookie header as of now; null if nobody is signed in. With `fresh` the cache is bypassed, so that a
   * role that was taken away or a session that was ended takes effect at once.
   */
  read(cookieHeader: string | null, fresh?: boolean): Promise<SessionUser | null>
  /** Notes the language that the user uses now in the cached session, for as long as that is cached. */
  recordLocale(sessionId: string, locale: Locale): void
}

/** The name of the session's cookie. The prefix keeps a browser from accepting it over an insecure connection. */
export function sessionCookieName(publicUrl: string): string {
  return `${publicUrl.startsWith('https:') ? '__Secure-' : ''}next-auth.session-token`
}

interface SessionsParts {
  userSessions: Pick<UserSessions, 'find'>
  clock: Clock
  secret: string
  publicUrl: () => string
}

/**
 * Creates the reader of sessions. Pages and the API share it, so that neither can forget to check whether a session was
 * revoked.
 */
export function createSessions({ userSessions, clock, secret, publicUrl }: SessionsParts): Sessions {
  const cache = new LRUCache<string, { user: SessionUser | null }>({
    max: MAX_CACHED_SESSIONS,
    ttl: CACHE_TTL_MS,
    fetchMethod: async (sessionId) => ({ user: await userSessions.find(sessionId, clock.now()) }),
  })

  const sessions: Sessions = {
    async check({ sub, sid, sessionEpoch }, forceRefresh = false) {
      if (typeof sub !== 'string' || typeof sid !== 'string' || typeof sessionEpoch !== 'number') return null
      const matches = (user: SessionUser | null | undefined) => user?.userId === sub && user.sessionEpoch === sessionEpoch
      const cached = (await cache.fetch(sid, { forceRefresh }))?.user
      if (!cached) return null
      if (matches(cached)) return cached
      // A token with a newer epoch must not be refused because of an older cached session.
      const fresh = (await cache.fetch(sid, { forceRefresh: true }))?.user
      return fresh && matches(fresh) ? fresh : null
    },
    async read(cookieHeader, fresh = false) {
      const token = cookieOf(cookieHeader, sessionCookieName(publicUrl()))
      if (token === null) return null
      // A token that is forged, garbled or expired counts as none.
      // Loaded with the first session, so that a gateway without a console starts sooner.
      const { decode } = await import('next-auth/jwt')
      const claims = await decode({ token, secret }).catch(() => null)
      return claims && sessions.check(claims, fresh)
    },
    recordLocale(sessionId, locale) {
      const cached = cache.peek(sessionId)
      if (cached?.user) cached.user = { ...cached.user, locale }
    },
  }
  return sessions
}
