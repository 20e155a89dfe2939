import { postAuth } from './post-auth.ts'

/**
 * How an attempt to sign in ended: `code` where the second step has to follow, `wrongCode` where its code was not taken,
 * `wrong` for a wrong pair, or a login by a provider that is too long ago.
 */
export type Entered = 'in' | 'code' | 'wrongCode' | 'wrong' | 'limited' | 'failed'

/** A pair, or the token that stands for a login by a provider; and the code of the second step. */
export type Entry = { email: string; password: string; code?: string } | { token: string; code: string }

const ENDS: Record<string, Entered> = { second_step: 'code', wrong_code: 'wrongCode', rate_limit_exceeded: 'limited' }

/** Signs in. Throws where the server does not answer. */
export async function enter(entry: Entry): Promise<Entered> {
  const { status, url } = await postAuth('callback/credentials', entry)
  const error = url.searchParams.get('error')
  if (status === 200 && error === null) return 'in'
  return ENDS[error ?? ''] ?? (status === 401 ? 'wrong' : 'failed')
}

/** Leads to a provider, and back to the page that was asked for. Throws where the server does not answer. */
export async function enterWith(provider: string, callbackUrl: string): Promise<void> {
  window.location.assign((await postAuth(`signin/${provider}`, { callbackUrl })).url)
}
