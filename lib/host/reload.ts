import type { Logger } from 'pino'

const RETRY_MS = 1000

/**
 * Something that is kept in memory and read again when it changed, and until that has worked: old prices are wrong prices.
 * Answers what asks for it; however often that is, one reading is under way, and one more after it.
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
