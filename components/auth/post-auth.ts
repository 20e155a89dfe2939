import { z } from 'zod'
import { fetchJson } from '../fetch-json.ts'

const csrf = z.object({ csrfToken: z.string().min(1) })
const led = z.object({ url: z.string() })

/**
 * Posts a form to one of next-auth's actions, with its token against forged ones, as next-auth's own client does
 * (next-auth/src/react/index.tsx). That client leaves the page, and what was typed there, where the server does not answer;
 * this throws. Answers the status and where next-auth leads.
 */
export async function postAuth(action: string, fields: Record<string, string>): Promise<{ status: number; url: URL }> {
  const { csrfToken } = await fetchJson('/api/auth/csrf', csrf, { cache: 'no-store' })
  const body = new URLSearchParams({ callbackUrl: window.location.href, ...fields, csrfToken, json: 'true' })
  const response = await fetch(`/api/auth/${action}`, { method: 'POST', body })
  const url = new URL(led.parse(await response.json()).url, window.location.origin)
  // So a token is refused that fits its cookie no more.
  if (url.searchParams.has('csrf')) throw new Error('The token was not taken.')
  return { status: response.status, url }
}
