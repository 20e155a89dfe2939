import { z } from 'zod'
import { postAuth } from '../auth/post-auth.ts'
import { sendJson } from '../fetch-json.ts'

/** Signs out and goes to the sign-in page. */
export async function signOut(callbackUrl = '/sign-in'): Promise<void> {
  // Revokes the playground keys together with the session. A failure must not prevent signing out: the keys expire anyway.
  await sendJson('DELETE', '/api/playground/key', z.unknown()).catch(() => undefined)
  window.location.assign((await postAuth('signout', { callbackUrl })).url)
}
