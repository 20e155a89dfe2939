import { type NextRequest, NextResponse } from 'next/server'
import { pageHeaders } from '#lib/console/security-headers'
import { type Env, publicUrl, readEnv } from '#lib/env'

const NONCE_BYTES = 16

let settings: Env | null = null

/**
 * Gives every page its security headers and its own nonce. Next reads the nonce from the Content-Security-Policy of the request
 * and adds it to its scripts. The layout passes it to the script that sets the theme.
 */
export function proxy(request: NextRequest): NextResponse {
  settings ??= readEnv()
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(NONCE_BYTES))).toString('base64')
  const development = settings.NODE_ENV === 'development'
  const said = pageHeaders({ nonce, publicUrl: publicUrl(settings), development })
  const headers = new Headers(request.headers)
  headers.set('x-nonce', nonce)
  headers.set('content-security-policy', said['Content-Security-Policy'] ?? '')
  const response = NextResponse.next({ request: { headers } })
  for (const [name, value] of Object.entries(said)) response.headers.set(name, value)
  return response
}

// The proxy truncates the request bodies that it covers. The API, files and JSON are not pages, and uploads go through them, so
// they are excluded.
export const config = { matcher: ['/((?!(?:v1|files|api)(?:/|$)|_next/static|_next/image).*)'] }
