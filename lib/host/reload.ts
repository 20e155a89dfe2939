import type { Logger } from 'pino'

const RETRY_MS = 1000

/**
 * Reloads something that is kept in memory after it changed, and retries until that works: old prices are wrong prices. Returns a
 * function that requests a reload. However often it is called, one reload is in progress and at most one more follows.
 */
export function createReloader(
  read: () => Promise<void>,
  options: { isEnding: () => boolean; what: string; log: Logger },
): () => void {
  const { isEnding, what, log } = options
  let isRequested = false
  let isRunning = false
  const run = async () => {
    while (isRequested && !isEnding()) {
      isRequested = false
      try {
        await read()
      } catch (error) {
        if (isEnding()) break
        log.error({ error: String(error) }, `the ${what} could not be reloaded; this is retried until it works`)
        isRequested = true
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
    // In the same step as the last look at isRequested: what is requested from here on starts a new run.
    isRunning = false
  }
  return () => {
    isRequested = true
    if (isRunning) return
    isRunning = true
    void run()
  }
}
