import { z } from 'zod'
import { postAuth } from '../auth/post-auth.ts'
import { sendJson } from '../fetch-json.ts'

/** Signs out, and goes to where one signs in. */
export async function leave(callbackUrl = '/sign-in'): Promise<void> {
  // Keys of the playground end with the session. Should that fail, nobody is kept in: they end by themselves.
  await sendJson('DELETE', '/api/playground/key', z.unknown()).catch(() => undefined)
  window.location.assign((await postAuth('signout', { callbackUrl })).url)
}
