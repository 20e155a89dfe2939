import { z } from 'zod'
import { fetchJson } from '../fetch-json.ts'

const csrfSchema = z.object({ csrfToken: z.string().min(1) })
const redirectSchema = z.object({ url: z.string() })

/**
 * Posts a form to an action of next-auth, with its CSRF token, as next-auth's own client does (next-auth/src/react/index.tsx).
 * If the server does not respond, that client navigates away and what was typed is lost; this function throws. Returns the
 * status and the address that next-auth leads to.
 */
export async function postAuth(action: string, fields: Record<string, string>): Promise<{ status: number; url: URL }> {
  const { csrfToken } = await fetchJson('/api/auth/csrf', csrfSchema, { cache: 'no-store' })
  const body = new URLSearchParams({ callbackUrl: window.location.href, ...fields, csrfToken, json: 'true' })
  const response = await fetch(`/api/auth/${action}`, { method: 'POST', body })
  const url = new URL(redirectSchema.parse(await response.json()).url, window.location.origin)
  // next-auth refuses a token that no longer matches its cookie in this way.
  if (url.searchParams.has('csrf')) throw new Error('The token was not taken.')
  return { status: response.status, url }
}
