import { setTimeout as sleep } from 'node:timers/promises'
import { type Embedded, type EmbeddedOptions, startEmbedded } from './embedded.ts'

/** A server that is restarted whenever it ends, for as long as it is kept. */
export interface KeptServer {
  /** The connection string, which stays the same. */
  readonly url: string
  /**
   * Stops keeping the server, and stops it if no other process uses it. If it is `ours`, nobody else can depend on it, so it is
   * stopped in any case, unless it was already running before.
   */
  leave(ours: boolean): Promise<void>
}

const LOOK_MS = 500
/** A server that has run for this long has started successfully. */
const GOOD_MS = 10_000
const FIRST_PAUSE_MS = 500
const MOST_PAUSE_MS = 30_000

/**
 * Starts or joins a server as `startEmbedded` does, and keeps it running. If it ends, it is restarted on the same port, because
 * everybody connects there: at once or, if it did not last, after a pause that grows each time.
 */
export async function keepEmbedded(options: EmbeddedOptions): Promise<KeptServer> {
  const log = options.log ?? (() => {})
  const ending = new AbortController()
  const pause = (ms: number) => sleep(ms, undefined, { signal: ending.signal }).catch(() => undefined)
  let server: Embedded = await startEmbedded(options)
  const { url, port } = server

  async function keep(): Promise<void> {
    let failures = 0
    let since = performance.now()
    for (;;) {
      await pause(LOOK_MS)
      if (ending.signal.aborted) return
      if (!(await server.hasEnded())) continue
      failures = performance.now() - since > GOOD_MS ? 0 : failures + 1
      const pauseMs = failures === 0 ? 0 : Math.min(MOST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1))
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

  const keeping = keep()
  return {
    url,
    async leave(ours) {
      ending.abort()
      await keeping
      // A server that cannot be asked is of no use to anybody.
      if ((ours && !server.adopted) || (await server.clients().catch(() => 0)) === 0) await server.stop()
    },
  }
}
