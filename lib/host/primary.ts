import type { CountsAnswer, CountsAsk, SharedCounts } from '../gateway/limits/counts-protocol.ts'
import { IpcChannel } from './ipc.ts'

/** What a worker can ask of its primary process, and through it of the other workers. */
export interface Primary {
  counts: SharedCounts
  /** The metrics of all workers as one text. */
  metrics(): Promise<string>
  /** What requests of an account hold in all workers. */
  held(accountId: string): Promise<HeldTotals>
  /** Reports that this worker serves from now on. */
  ready(): Promise<void>
}

export interface HeldTotals {
  nano: bigint
  requests: number
}

/** What a worker answers when its primary asks. */
export interface WorkerHandlers {
  metrics(): Promise<object[]>
  held(accountId: string): HeldTotals
}

/** Timeout for counts. A worker should lose its counts only if its primary is gone, not because the machine is busy. */
const COUNTS_TIMEOUT_MS = 2000
const METRICS_TIMEOUT_MS = 5000

/** The form of `HeldTotals` between processes, because bigints cannot be sent as numbers. */
export interface PackedHeld {
  nano: string
  requests: number
}

const packHeld = ({ nano, requests }: HeldTotals): PackedHeld => ({ nano: String(nano), requests })

/** Opens this worker's channel to its primary. Call it once. */
export function connectToPrimary(handlers: WorkerHandlers): Primary {
  const send = (message: object): boolean => {
    if (!process.connected) return false
    process.send?.(message, undefined, undefined, () => undefined)
    return true
  }
  const channel = new IpcChannel(
    { send },
    { metrics: () => handlers.metrics(), held: (accountId) => packHeld(handlers.held(accountId as string)) },
  )
  process.on('message', (message) => channel.receive(message))
  process.on('disconnect', () => channel.close())
  return {
    counts: {
      send: (asks: CountsAsk[]) =>
        channel.request<{ sharers: number; answers: CountsAnswer[] }>('counts', asks, COUNTS_TIMEOUT_MS),
    },
    metrics: () => channel.request<string>('metrics', null, METRICS_TIMEOUT_MS),
    async held(accountId) {
      const { nano, requests } = await channel.request<PackedHeld>('held', accountId, METRICS_TIMEOUT_MS)
      return { nano: BigInt(nano), requests }
    },
    ready: () => channel.request<void>('ready', null, METRICS_TIMEOUT_MS),
  }
}
