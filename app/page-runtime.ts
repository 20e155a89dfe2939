import { connection } from 'next/server'
import { type Runtime, runtime } from '#lib/runtime'

/** The runtime, for what pages read. They wait for a request first: a build draws pages too, and must not open one. */
export async function pageRuntime(): Promise<Runtime> {
  await connection()
  return runtime()
}
