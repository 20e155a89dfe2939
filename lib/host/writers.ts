import type pg from 'pg'
import type { Logger } from 'pino'
import { type HistoryItem, upkeep, writeHistory } from '../store/history-store.ts'
import { touchKeys } from '../store/key-store.ts'
import { addTraffic } from '../store/traffic-writes.ts'
import { isTransient } from '../store/transient.ts'
import { WriteBehind } from '../store/write-behind.ts'
import type { Files } from './files.ts'
import { TrafficRecorder } from './traffic-recorder.ts'

const UPKEEP_MS = 3_600_000
const SWEEP_MS = 600_000

/** How much memory the waiting history may take. */
const MAX_BYTES = 64 * 1024 * 1024
/** What an item takes besides its text. */
const ITEM_OVERHEAD_BYTES = 2048
/** How often drops are logged. */
const DROP_LOG_MS = 10_000

type PendingHistory = Omit<HistoryItem, 'json'> & { bytes: number; toJson: () => string }

/**
 * Writes data outside of requests: message history, when keys were last used, and traffic. Traffic batches are numbered under
 * `writerId`, a name that no other process has or ever had.
 */
export function buildWriters(pool: pg.Pool, log: Logger, onDropped: (what: 'history' | 'traffic') => void, writerId: string) {
  let drops = 0
  const reportDrops = () => {
    log.error({ count: drops }, 'message history was dropped: the database cannot keep up')
    drops = 0
  }
  const toHistoryItems = ({ toJson, bytes: _, requestId, at, accountId }: PendingHistory): HistoryItem[] => {
    try {
      return [{ requestId, at, accountId, json: toJson() }]
    } catch (error) {
      // A vendor's answer can be nested too deeply to be serialized. That must not affect the other items.
      log.warn({ request: requestId, error: String(error) }, 'the message history of a request could not be written')
      return []
    }
  }
  const history = new WriteBehind<PendingHistory>({
    write: (items) => writeHistory(pool, items.flatMap(toHistoryItems)),
    isTransient,
    onFailed(error, count) {
      for (let lost = 0; lost < count; lost++) onDropped('history')
      log.error({ error: String(error), count }, 'message history was lost')
    },
    delayMs: 200,
    batch: 128,
    maxItems: 20_000,
    maxBytes: MAX_BYTES,
    weigh: (item) => item.bytes,
    onDropped() {
      onDropped('history')
      drops++
      if (drops === 1) setTimeout(reportDrops, DROP_LOG_MS).unref()
    },
  })
  const lastUseByKey = new Map<string, Date>()
  let timer: NodeJS.Timeout | null = null
  const flushKeyUses = async () => {
    timer = null
    const [ids, times] = [[...lastUseByKey.keys()], [...lastUseByKey.values()]]
    lastUseByKey.clear()
    if (ids.length > 0)
      await touchKeys(pool, ids, times).catch((error: unknown) =>
        log.warn({ error: String(error) }, 'the last use of keys was not noted'),
      )
  }
  const traffic = new TrafficRecorder({
    write: (batch, rows) => addTraffic(pool, writerId, batch, rows),
    now: () => Date.now(),
    isTransient,
    onDropped: () => onDropped('traffic'),
    log,
  })
  return {
    traffic,
    saveHistory: (requestId: string, at: Date, accountId: string, bytes: number, toJson: () => string) =>
      history.add({ requestId, at, accountId, bytes: bytes + ITEM_OVERHEAD_BYTES, toJson }),
    noteKeyUse(keyId: string, at: Date) {
      lastUseByKey.set(keyId, at)
      timer ??= setTimeout(() => void flushKeyUses(), 2_000)
    },
    async drain() {
      if (timer) clearTimeout(timer)
      await history.drain()
      await flushKeyUses()
      await traffic.drain()
    },
  }
}

/**
 * Runs upkeep, such as creating partitions ahead and dropping those that nobody keeps, now and every hour. Removes expired files,
 * now and every ten minutes. Returns a function that stops it.
 */
export function startUpkeep(pool: pg.Pool, log: Logger, files: Pick<Files, 'location' | 'sweep'>): () => void {
  const runUpkeep = () => {
    upkeep(pool).catch((error: unknown) => log.warn({ error: String(error) }, 'upkeep is retried in an hour'))
  }
  runUpkeep()
  const timer = setInterval(runUpkeep, UPKEEP_MS)
  timer.unref()
  const sweep = () => {
    files
      .sweep()
      .catch((error: unknown) =>
        log.warn(
          { error: String((error as { code?: unknown }).code ?? error), store: files.location },
          'the file store does not respond correctly: expired files are removed later',
        ),
      )
  }
  sweep()
  const sweeper = setInterval(sweep, SWEEP_MS)
  sweeper.unref()
  return () => {
    clearInterval(timer)
    clearInterval(sweeper)
  }
}
