import { readFile } from 'node:fs/promises'

/** Each request has one connection to its client and one to its vendor. */
const FILES_PER_REQUEST = 2
/** Connections to the database, files that are served and spooled, and what a process has open anyway. */
const OTHER_FILES = 200

/**
 * A warning if a process may open too few files for its limit of concurrent requests, or null if the limit is high enough. Beyond
 * that limit, the system closes connections before this process learns of them. `limits` is the text of /proc/self/limits.
 */
export function describeFileShortage(limits: string, concurrency: number): string | null {
  const maxOpen = Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY)
  const neededFiles = concurrency * FILES_PER_REQUEST + OTHER_FILES
  if (maxOpen >= neededFiles) return null
  const maxConcurrency = Math.max(1, Math.floor((maxOpen - OTHER_FILES) / FILES_PER_REQUEST))
  return (
    `A process may open ${maxOpen} files here, and ${concurrency} requests at once (MAX_CONCURRENCY) take up to ${neededFiles}: past that, connections ` +
    `are closed without a word. Raise it (ulimit -n ${neededFiles}, LimitNOFILE=${neededFiles}), or set MAX_CONCURRENCY=${maxConcurrency}.`
  )
}

/** The same warning for this process, if its system has /proc. */
export async function checkOpenFiles(concurrency: number): Promise<string | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  return describeFileShortage(limits, concurrency)
}
