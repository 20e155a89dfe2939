import type { Provider } from '#lib/contracts/sign-in'
import { pageRuntime } from '../page-runtime.ts'

/** What the pages outside the console need to know: the available sign-in providers, and whether email is sent. */
export async function signInOptions(): Promise<{ providers: readonly Provider[]; mail: boolean }> {
  const { providers, mail } = (await pageRuntime()).console.ports.signInSettings
  return { providers, mail }
}
