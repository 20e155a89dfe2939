import { LRUCache } from 'lru-cache'
import { decode } from 'next-auth/jwt'
import type { Locale } from '../contracts/locales.ts'
import type { Clock } from '../services/ports.ts'
import type { SessionUser, UserSessions } from '../services/sign-in/sign-in-ports.ts'
import { cookieOf } from './cookie.ts'

/** How long a session lasts from signing in on. */
export const SESSION_MAX_AGE_S = 14 * 24 * 3600
/** For how long a revoked session can still be taken for a living one. */
const REMEMBER_MS = 2000
const REMEMBER_SESSIONS = 10_000

/** What a session's token says. Only the session and the epoch are believed; the rest is asked of the database. */
export interface SessionClaims {
  sub?: unknown
  sid?: unknown
  sessionEpoch?: unknown
}

export interface Sessions {
  /** Who a token belongs to now; null where the user is gone or the session was revoked. */
  check(claims: SessionClaims, fresh?: boolean): Promise<SessionUser | null>
  /**
   * Who a request's Cookie header belongs to now; null where nobody is signed in. `fresh` believes nothing that is
   * remembered: a role that was taken away, or a session that was ended, is so at once.
   */
  read(cookieHeader: string | null, fresh?: boolean): Promise<SessionUser | null>
  /** Remembers the language that somebody uses now, for as long as the rest of what is remembered of the session. */
  noteLocale(sessionId: string, locale: Locale): void
}

/** The session's cookie. The prefix keeps a browser from taking it over an insecure connection. */
export function sessionCookieName(publicUrl: string): string {
  return `${publicUrl.startsWith('https:') ? '__Secure-' : ''}next-auth.session-token`
}

interface Parts {
  userSessions: Pick<UserSessions, 'find'>
  clock: Clock
  secret: string
  publicUrl: () => string
}

/**
 * Reads sessions: one reader for pages and API alike, so that neither can forget to ask whether a
 * session was revoked.
 */
export function createSessions({ userSessions, clock, secret, publicUrl }: Parts): Sessions {
  const known = new LRUCache<string, { user: SessionUser | null }>({
    max: REMEMBER_SESSIONS,
    ttl: REMEMBER_MS,
    fetchMethod: async (sessionId) => ({ user: await userSessions.find(sessionId, clock.now()) }),
  })

  const sessions: Sessions = {
    async check({ sub, sid, sessionEpoch }, forceRefresh = false) {
      if (typeof sub !== 'string' || typeof sid !== 'string' || typeof sessionEpoch !== 'number') return null
      const fits = (user: SessionUser | null | undefined) => user?.userId === sub && user.sessionEpoch === sessionEpoch
      const remembered = (await known.fetch(sid, { forceRefresh }))?.user
      if (!remembered) return null
      if (fits(remembered)) return remembered
      // Whoever has a newer epoch must not be sent away by what was remembered before.
      const fresh = (await known.fetch(sid, { forceRefresh: true }))?.user
      return fresh && fits(fresh) ? fresh : null
    },
    async read(cookieHeader, fresh = false) {
      const token = cookieOf(cookieHeader, sessionCookieName(publicUrl()))
      if (token === null) return null
      // A token that is forged, garbled or past its time is none.
      const claims = await decode({ token, secret }).catch(() => null)
      return claims && sessions.check(claims, fresh)
    },
    noteLocale(sessionId, locale) {
      const remembered = known.peek(sessionId)
      if (remembered?.user) remembered.user = { ...remembered.user, locale }
    },
  }
  return sessions
}
