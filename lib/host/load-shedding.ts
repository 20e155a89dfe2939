import type { Logger } from 'pino'
import type { Settlement, SettlementResult } from '../domain/settlement.ts'
import { LoadShedder } from '../gateway/load-shedder.ts'
import type { LiveSettings } from '../services/settings-ports.ts'
import { Backlog } from './backlog.ts'
import { LagMonitor } from './event-loop-lag.ts'
import type { Metrics } from './metrics.ts'

/** If this many charges wait, or one waits for this long, new requests would only wait, too. */
const MAX_SETTLING = 5000
const MAX_SETTLING_MS = 2000
/** If this many wait, records of requests that cost nothing are no longer kept. */
const MAX_RECORDS = 2000

/** Watches the load of this process, and refuses requests when it is too high. */
export function watchLoad(live: LiveSettings['values'], log: Logger, metrics: Metrics) {
  const ticks = () => performance.now()
  const [backlog, lag] = [new Backlog(ticks), new LagMonitor(ticks)]
  const limits = {
    get inFlight() {
      return live.concurrency
    },
    get lagMs() {
      return live.shedLagMs
    },
    settling: MAX_SETTLING,
    settlingMs: MAX_SETTLING_MS,
  }
  const load = { settling: () => backlog, lagMs: () => lag.lagMs }
  const shed = new LoadShedder({ load, limits: limits, ticks, log, onShed: (reason) => metrics.countShed(reason) })
  metrics.registerGauge('tollgate_settling', 'Settlements that wait for a commit.', () => backlog.count)
  const readOldestSeconds = () => backlog.oldestMs / 1000
  metrics.registerGauge(
    'tollgate_settling_oldest_seconds',
    'For how long the oldest settlement has waited.',
    readOldestSeconds,
    'max',
  )
  metrics.registerGauge('tollgate_under_way', 'Requests under way.', () => shed.inFlight)
  metrics.registerGauge(
    'tollgate_event_loop_late_seconds',
    'How late the event loop is, smoothed.',
    () => lag.lagMs / 1000,
    'max',
  )
  return { shed, backlog, stopLag: () => lag.stop() }
}

/** Posts settlements and counts those that wait. If too many wait, records of free requests are dropped and resolve to null. */
export function trackPosts(parts: {
  post: (settlement: Settlement) => Promise<SettlementResult>
  backlog: Backlog
  /** Called for each record that was dropped. */
  onDropped: () => void
}): (settlement: Settlement) => Promise<SettlementResult | null> {
  const { post, backlog, onDropped } = parts
  return (settlement) => {
    const { receipt, answer } = settlement
    if (receipt === null && answer === null && !settlement.void && backlog.count >= MAX_RECORDS) {
      onDropped()
      return Promise.resolve(null)
    }
    backlog.begin()
    const posting = post(settlement)
    const end = () => backlog.end()
    posting.then(end, end)
    return posting
  }
}
