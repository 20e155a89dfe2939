import { type NextRequest, NextResponse } from 'next/server'
import { pageHeaders } from '#lib/console/security-headers'
import { type Env, publicUrl, readEnv } from '#lib/env'

const NONCE_BYTES = 16

let settings: Env | null = null

/**
 * Gives every page its security headers, and a nonce of its own, which Next finds in the policy of the request and puts
 * into its scripts; the layout hands it to the script that sets the theme.
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

// What a proxy stands before has its body cut: the API, files and JSON are no pages, and uploads go through them.
export const config = { matcher: ['/((?!(?:v1|files|api)(?:/|$)|_next/static|_next/image).*)'] }
