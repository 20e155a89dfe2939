import { createHash } from 'node:crypto'
import { mkdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { buildConsoleIfStale } from '#lib/setup/build-console'

/** How long a hook that waits for a build may take: two builds on two cores, one of them in another process. */
export const BUILD_TIMEOUT_MS = 420_000
const STALE_LOCK_MS = 300_000

const lock = join(tmpdir(), `tollgate-build-${createHash('sha256').update(process.cwd()).digest('hex').slice(0, 16)}`)

/** Holds the lock while `work` runs. A lock that is five minutes old was left by a run that was killed. */
async function withBuildLock(work: () => Promise<void>): Promise<void> {
  for (;;) {
    const taken = await mkdir(lock).then(
      () => true,
      () => false,
    )
    if (taken) break
    const info = await stat(lock).catch(() => null)
    if (info && Date.now() - info.mtimeMs > STALE_LOCK_MS) await rm(lock, { recursive: true, force: true })
    else await sleep(250)
  }
  try {
    await work()
  } finally {
    await rm(lock, { recursive: true, force: true })
  }
}

/**
 * Makes sure that `.next` holds a production build of these sources, for tests that run `next start`. Test files of one run wait
 * for each other here. TEST_KEEP_BUILD=1 uses the existing build however old it is, for working on tests while sources change.
 * Throws with the end of the build's output.
 */
export async function ensureConsoleBuilt(): Promise<void> {
  if (process.env.TEST_KEEP_BUILD === '1' && (await stat('.next/BUILD_ID').catch(() => null))) return
  await withBuildLock(() => buildConsoleIfStale((line) => process.stdout.write(`${line}\n`)))
}
