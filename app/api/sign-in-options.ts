import type { Provider } from '#lib/contracts/sign-in'
import { pageRuntime } from '../page-runtime.ts'

/** What the pages outside the console have to know: by whom one can sign in here, and whether mail is sent. */
export async function signInOptions(): Promise<{ providers: readonly Provider[]; mail: boolean }> {
  const { providers, mail } = (await pageRuntime()).console.ports.signInSettings
  return { providers, mail }
}
