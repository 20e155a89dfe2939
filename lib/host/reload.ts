import type { Logger } from 'pino'

const RETRY_MS = 1000

/**
 * Reloads something that is kept in memory after it changed, and retries until that works: old prices are wrong prices. Returns a
 * function that requests a reload. However often it is called, one reload is in progress and at most one more follows.
 */
export function createReload(
  read: () => Promise<void>,
  options: { ending: () => boolean; what: string; log: Logger },
): () => void {
  const { ending, what, log } = options
  let wanted = false
  let reading = false
  const run = async () => {
    while (wanted) {
      wanted = false
      try {
        await read()
      } catch (error) {
        if (ending()) return
        log.error({ error: String(error) }, `the ${what} could not be reloaded; this is retried until it works`)
        wanted = true
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }
  return () => {
    wanted = true
    if (reading) return
    reading = true
    void run().finally(() => {
      reading = false
    })
  }
}
