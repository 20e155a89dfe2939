import { setTimeout as sleep } from 'node:timers/promises'
import { type Embedded, type EmbeddedOptions, startEmbedded } from './embedded.ts'

/** A server that is restarted whenever it ends, for as long as it is kept. */
export interface SupervisedServer {
  /** The connection string, which stays the same. */
  readonly url: string
  /**
   * Stops keeping the server, and stops it if no other process uses it. If it is `exclusive`, nobody else can depend on it, so it is
   * stopped in any case, unless it was already running before.
   */
  release(exclusive: boolean): Promise<void>
}

const CHECK_INTERVAL_MS = 500
/** A server that has run for this long has started successfully. */
const STABLE_AFTER_MS = 10_000
const MIN_PAUSE_MS = 500
const MAX_PAUSE_MS = 30_000

/**
 * Starts or joins a server as `startEmbedded` does, and keeps it running. If it ends, it is restarted on the same port, because
 * everybody connects there: at once or, if it did not last, after a pause that grows each time.
 */
export async function superviseEmbedded(options: EmbeddedOptions): Promise<SupervisedServer> {
  const log = options.log ?? (() => {})
  const ending = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: ending.signal }).catch(() => undefined)
  let server: Embedded = await startEmbedded(options)
  const { url, port } = server

  async function supervise(): Promise<void> {
    let failures = 0
    let since = performance.now()
    for (;;) {
      await pause(CHECK_INTERVAL_MS)
      if (ending.signal.aborted) return
      if (!(await server.hasEnded())) continue
      failures = performance.now() - since > STABLE_AFTER_MS ? 0 : failures + 1
      const pauseMs = failures === 0 ? 0 : Math.min(MAX_PAUSE_MS, MIN_PAUSE_MS * 2 ** (failures - 1))
      log(`the database (process ${server.pid}) has ended: it is started again in ${pauseMs} ms`)
      await pause(pauseMs)
      if (ending.signal.aborted) return
      try {
        server = await startEmbedded({ ...options, port, onlyPort: true })
      } catch (error) {
        log(`the database could not be started again: ${error instanceof Error ? error.message : String(error)}`)
      }
      since = performance.now()
    }
  }

  const supervision = supervise()
  return {
    url,
    async release(exclusive) {
      ending.abort()
      await supervision
      // A server that cannot be asked is of no use to anybody.
      if ((exclusive && !server.adopted) || (await server.clients().catch(() => 0)) === 0) await server.stop()
    },
  }
}
