import { postAuth } from './post-auth.ts'

/**
 * How a sign-in attempt ended: `code` if the second step has to follow, `wrongCode` if its code was rejected, `wrong` for a
 * wrong email or password, or for a provider sign-in that is too long ago.
 */
export type SignInResult = 'in' | 'code' | 'wrongCode' | 'wrong' | 'limited' | 'failed'

/** Email and password, or the token of a provider sign-in, with the code of the second step. */
export type Credentials = { email: string; password: string; code?: string } | { token: string; code: string }

const RESULT_BY_ERROR: Record<string, SignInResult> = {
  second_step: 'code',
  wrong_code: 'wrongCode',
  rate_limit_exceeded: 'limited',
}

/** Signs in. Throws if the server does not respond. */
export async function signInWithCredentials(credentials: Credentials): Promise<SignInResult> {
  const { status, url } = await postAuth('callback/credentials', credentials)
  const error = url.searchParams.get('error')
  if (status === 200 && error === null) return 'in'
  return RESULT_BY_ERROR[error ?? ''] ?? (status === 401 ? 'wrong' : 'failed')
}

/** Leads to a provider, and then back to the requested page. Throws if the server does not respond. */
export async function signInWithProvider(provider: string, callbackUrl: string): Promise<void> {
  window.location.assign((await postAuth(`signin/${provider}`, { callbackUrl })).url)
}
