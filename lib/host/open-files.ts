import { readFile } from 'node:fs/promises'

/** Each request has one connection to its client and one to its vendor. */
const FILES_PER_REQUEST = 2
/** Connections to the database, files that are served and spooled, and what a process has open anyway. */
const BESIDE = 200

/**
 * A warning if a process may open too few files for its limit of concurrent requests, or null if the limit is high enough. Beyond
 * that limit, the system closes connections before this process learns of them. `limits` is the text of /proc/self/limits.
 */
export function tooFewFiles(limits: string, concurrency: number): string | null {
  const most = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  const wanted = concurrency * FILES_PER_REQUEST + BESIDE
  if (most >= wanted) return null
  const room = Math.max(1, Math.floor((most - BESIDE) / FILES_PER_REQUEST))
  return (
    `A process may open ${most} files here, and ${concurrency} requests at once (MAX_CONCURRENCY) take up to ${wanted}: past that, connections ` +
    `are closed without a word. Raise it (ulimit -n ${wanted}, LimitNOFILE=${wanted}), or set MAX_CONCURRENCY=${room}.`
  )
}

/** The same warning for this process, if its system has /proc. */
export async function openFilesNote(concurrency: number): Promise<string | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  return tooFewFiles(limits, concurrency)
}
