import { connection } from 'next/server'
import { type Runtime, runtime } from '#lib/runtime'

/** The runtime, for data that pages read. Waits for a request first: a build renders pages too and must not start a runtime. */
export async function pageRuntime(): Promise<Runtime> {
  await connection()
  return runtime()
}
