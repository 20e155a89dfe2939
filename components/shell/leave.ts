import { z } from 'zod'
import { sendJson } from '../fetch-json.ts'

/** Signs out, and goes to where one signs in. */
export async function leave(callbackUrl = '/sign-in'): Promise<void> {
  const { signOut } = await import('next-auth/react')
  // Keys of the playground end with the session. Should that fail, nobody is kept in: they end by themselves.
  await sendJson('DELETE', '/api/playground/key', z.unknown()).catch(() => undefined)
  await signOut({ callbackUrl })
}
