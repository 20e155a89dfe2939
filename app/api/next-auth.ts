import NextAuth, { type NextAuthOptions } from 'next-auth'
import { authOptionsOf, refuseAuthRequest, withCorrectedStatus } from '#lib/console/auth'
import type { RouteHandler } from '#lib/console/route'
import { runtime } from '#lib/runtime'

type Handle = (request: Request, context: Parameters<RouteHandler>[1], options: NextAuthOptions) => Promise<Response>

// Bundlers and Node disagree on the default import of a CommonJS module: the function itself, or the module that holds it.
const nextAuthModule: unknown = NextAuth
const handleAuth = (
  typeof nextAuthModule === 'function' ? nextAuthModule : (nextAuthModule as { default: unknown }).default
) as Handle

/** Handles signing in and signing out. */
export const authRoute: RouteHandler = async (request, context) => {
  const { console } = await runtime()
  const refusal = refuseAuthRequest(request, console.publicUrl())
  return refusal ?? withCorrectedStatus(await handleAuth(request, context, authOptionsOf(console, request.headers)))
}
