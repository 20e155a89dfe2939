import { readFile } from 'node:fs/promises'

/** A request has a connection of its client's and one to its vendor. */
const FILES_PER_REQUEST = 2
/** The database's connections, files that are served and spooled, and what a process has open anyway. */
const BESIDE = 200

/**
 * What a person has to know who lets a process open too few files for the requests that it may have under way; null where it is
 * enough. Past that limit the system closes connections before anybody here hears of them. `limits` is what /proc/self/limits says.
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

/** The same for this process, where its system tells. */
export async function openFilesNote(concurrency: number): Promise<string | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  return tooFewFiles(limits, concurrency)
}
