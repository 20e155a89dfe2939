import { LRUCache } from 'lru-cache'
import { decode } from 'next-auth/jwt'
import type { SignedIn, Users } from '../services/ports.ts'

/** How long a session lasts from signing in on. */
export const SESSION_MAX_AGE_S = 14 * 24 * 3600
/** For how long a revoked session can still be taken for a living one. */
const REMEMBER_MS = 3000
const REMEMBER_USERS = 10_000

/** What a session's token says. Only the user and the epoch are believed; the rest is asked of the database. */
export interface SessionClaims {
  sub?: unknown
  sessionEpoch?: unknown
}

export interface Sessions {
  /** Who a token belongs to now; null where the user is gone or the session was revoked. */
  check(claims: SessionClaims): Promise<SignedIn | null>
  /** Who a request's Cookie header belongs to now; null where nobody is signed in. */
  read(cookieHeader: string | null): Promise<SignedIn | null>
}

/** The session's cookie. The prefix keeps a browser from taking it over an insecure connection. */
export function sessionCookieName(publicUrl: string): string {
  return `${publicUrl.startsWith('https:') ? '__Secure-' : ''}next-auth.session-token`
}

function cookieOf(header: string | null, name: string): string | null {
  const found = header?.split(';').find((part) => part.trim().startsWith(`${name}=`))
  return found ? found.trim().slice(name.length + 1) : null
}

/**
 * Reads sessions: one reader for pages and API alike, so that neither can forget to ask whether a
 * session was revoked.
 */
export function createSessions({
  users,
  secret,
  publicUrl,
}: {
  users: Users
  secret: string
  publicUrl: () => string
}): Sessions {
  const known = new LRUCache<string, { user: SignedIn | null }>({
    max: REMEMBER_USERS,
    ttl: REMEMBER_MS,
    fetchMethod: async (userId) => ({ user: await users.byId(userId) }),
  })

  const sessions: Sessions = {
    async check({ sub, sessionEpoch }) {
      if (typeof sub !== 'string' || typeof sessionEpoch !== 'number') return null
      const remembered = await known.fetch(sub)
      if (remembered?.user?.sessionEpoch === sessionEpoch) return remembered.user
      // Somebody who has just signed in again must not be sent away by what was remembered before.
      const fresh = await known.fetch(sub, { forceRefresh: true })
      return fresh?.user?.sessionEpoch === sessionEpoch ? fresh.user : null
    },
    async read(cookieHeader) {
      const token = cookieOf(cookieHeader, sessionCookieName(publicUrl()))
      if (token === null) return null
      // A token that is forged, garbled or past its time is none.
      const claims = await decode({ token, secret }).catch(() => null)
      return claims && sessions.check(claims)
    },
  }
  return sessions
}
