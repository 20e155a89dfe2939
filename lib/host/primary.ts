import type { Answer, Ask, SharedCounts } from '../gateway/limits/ask.ts'
import { Talk } from './ipc.ts'

/** What a worker can ask of its primary process, and through it of the other workers. */
export interface Primary {
  counts: SharedCounts
  /** The metrics of all workers as one text. */
  metrics(): Promise<string>
  /** What requests of an account hold in all workers. */
  held(accountId: string): Promise<Held>
  /** Reports that this worker serves from now on. */
  ready(): Promise<void>
}

export interface Held {
  nano: bigint
  requests: number
}

/** What a worker answers when its primary asks. */
export interface WorkerSide {
  metrics(): Promise<object[]>
  held(accountId: string): Held
}

/** Timeout for counts. A worker should lose its counts only if its primary is gone, not because the machine is busy. */
const COUNTS_MS = 2000
const METRICS_MS = 5000

/** The form of `Held` between processes, because bigints cannot be sent as numbers. */
export interface Packed {
  nano: string
  requests: number
}

const packed = ({ nano, requests }: Held): Packed => ({ nano: String(nano), requests })

/** Opens this worker's channel to its primary. Call it once. */
export function joinPrimary(side: WorkerSide): Primary {
  const send = (message: object): boolean => {
    if (!process.connected) return false
    process.send?.(message, undefined, undefined, () => undefined)
    return true
  }
  const talk = new Talk({ send }, { metrics: () => side.metrics(), held: (accountId) => packed(side.held(accountId as string)) })
  process.on('message', (message) => talk.hear(message))
  process.on('disconnect', () => talk.close())
  return {
    counts: { send: (asks: Ask[]) => talk.ask<{ sharers: number; answers: Answer[] }>('counts', asks, COUNTS_MS) },
    metrics: () => talk.ask<string>('metrics', null, METRICS_MS),
    async held(accountId) {
      const { nano, requests } = await talk.ask<Packed>('held', accountId, METRICS_MS)
      return { nano: BigInt(nano), requests }
    },
    ready: () => talk.ask<void>('ready', null, METRICS_MS),
  }
}
