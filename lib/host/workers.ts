import cluster, { type Worker } from 'node:cluster'
import type { Ask } from '../gateway/limits/ask.ts'
import { Counts } from '../gateway/limits/counts.ts'
import { hangUpUntaken } from './handed.ts'
import { Talk } from './ipc.ts'
import type { Packed } from './primary.ts'
import { WorkerMetrics } from './worker-metrics.ts'

export interface WorkerOptions {
  /** The program that each worker runs. */
  exec: string
  /** The workers: the name of each for people, and its environment in addition to that of this process. */
  slots: { name: string; env: Record<string, string> }[]
  /** When a worker stops, how long it lets requests in progress finish, in milliseconds. */
  drainMs: number
  say: (line: string) => void
}

interface Slot {
  name: string
  env: Record<string, string>
  worker: Worker | null
  talk: Talk | null
  ready: boolean
  /** How many times in a row it started and did not stay up. */
  failures: number
  timer: NodeJS.Timeout | null
}

/** A worker that stays up this long has started successfully. */
const GOOD_MS = 10_000
const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 10_000
/** Added to the time that requests have to finish. A worker gives up by itself a little sooner. */
const STOP_MS = 12_000
const ASK_MS = 1000
const SWEEP_MS = 10_000

/**
 * The workers of this machine. This process serves no requests: it keeps the counts that the workers share, adds up their
 * metrics, and replaces a worker that dies.
 */
export class Workers {
  readonly #say: (line: string) => void
  readonly #slots: Slot[]
  readonly #drainMs: number
  readonly #counts = new Counts({ ticks: () => performance.now() })
  readonly #metrics = new WorkerMetrics()
  readonly #sharers: number
  readonly #sweeping: NodeJS.Timeout
  #stopping = false
  #failed: ((error: Error) => void) | null = null
  #allReady: (() => void) | null = null

  constructor({ exec, slots, drainMs, say }: WorkerOptions) {
    cluster.setupPrimary({ exec, args: [] })
    this.#say = say
    this.#drainMs = drainMs
    this.#slots = slots.map((slot) => ({ ...slot, worker: null, talk: null, ready: false, failures: 0, timer: null }))
    this.#sharers = slots.length
    this.#sweeping = setInterval(() => this.#counts.sweep(), SWEEP_MS)
  }

  /** Resolves when all workers serve. Rejects if one of them cannot start. */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#failed = reject
      this.#allReady = resolve
      for (const slot of this.#slots) this.#fork(slot)
    }).finally(() => {
      this.#failed = null
    })
  }

  /** Lets all workers finish their requests in progress. Resolves when they are gone, with whether all of them had finished. */
  async stop(): Promise<boolean> {
    this.#stopping = true
    clearInterval(this.#sweeping)
    for (const slot of this.#slots) if (slot.timer) clearTimeout(slot.timer)
    const late = setTimeout(() => this.kill(), this.#drainMs + STOP_MS)
    const finished = await Promise.all(this.#slots.map((slot) => this.#finished(slot)))
    clearTimeout(late)
    return finished.every(Boolean)
  }

  /** Kills all workers at once. */
  kill(): void {
    this.#stopping = true
    for (const worker of this.#living()) worker.process.kill('SIGKILL')
  }

  /**
   * Stops a worker and resolves when it is gone, with whether it finished. A worker that did not serve yet had nothing to finish,
   * however it ends.
   */
  async #finished({ worker, ready }: Slot): Promise<boolean> {
    if (!worker || worker.isDead()) return true
    const code = await ended(worker)
    return code === 0 || !ready
  }

  #living(): Worker[] {
    return this.#slots.flatMap(({ worker }) => (worker && !worker.isDead() ? [worker] : []))
  }

  #fork(slot: Slot): void {
    const startedAt = performance.now()
    const worker = cluster.fork(slot.env)
    hangUpUntaken(worker.process)
    const holder = String(worker.id)
    const send = (message: object): boolean => {
      if (!worker.isConnected()) return false
      worker.send(message, undefined, () => undefined)
      return true
    }
    const talk = new Talk(
      { send },
      {
        counts: (asks) => ({
          sharers: this.#sharers,
          answers: (asks as Ask[]).map((ask) => this.#counts.answer(ask, this.#sharers, holder)),
        }),
        metrics: async () => {
          await this.#askAll<object[]>('metrics', null, (holder, told) => this.#metrics.told(holder, told))
          return await this.#metrics.text()
        },
        held: async (accountId) => {
          const all: Packed[] = []
          await this.#askAll<Packed>('held', accountId, (_, held) => all.push(held))
          return sumHeld(all)
        },
        ready: () => this.#serves(slot),
      },
    )
    Object.assign(slot, { worker, talk, ready: false })
    worker.on('message', (message: unknown) => talk.hear(message))
    worker.on('error', () => undefined)
    worker.once('exit', (code, signal) => {
      talk.close()
      this.#counts.forget(holder)
      this.#metrics.forget(holder)
      Object.assign(slot, { worker: null, talk: null, ready: false })
      if (!this.#stopping) this.#again(slot, signal ?? `exit code ${code}`, performance.now() - startedAt)
    })
  }

  #serves(slot: Slot): void {
    slot.ready = true
    if (this.#slots.every(({ ready }) => ready)) this.#allReady?.()
  }

  #again(slot: Slot, how: string, livedMs: number): void {
    if (this.#failed) {
      // Whatever prevents the first start of one worker prevents all of them. The worker has printed the reason.
      this.#failed(new Error(`The worker "${slot.name}" could not start (${how}).`))
      return
    }
    slot.failures = livedMs > GOOD_MS ? 0 : slot.failures + 1
    const delayMs = slot.failures === 0 ? 0 : Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** (slot.failures - 1))
    this.#say(`The worker "${slot.name}" has ended (${how}). Another one starts in ${delayMs} ms.`)
    slot.timer = setTimeout(() => this.#fork(slot), delayMs)
  }

  /** Asks all workers that serve. Those that do not respond in time are left out. */
  async #askAll<T>(topic: string, data: unknown, hear: (holder: string, answer: T) => void): Promise<void> {
    const asked = this.#slots.map(async ({ worker, talk, ready }) => {
      if (worker && talk && ready) hear(String(worker.id), await talk.ask<T>(topic, data, ASK_MS))
    })
    await Promise.allSettled(asked)
  }
}

function sumHeld(all: Packed[]): Packed {
  const nano = all.reduce((sum, item) => sum + BigInt(item.nano), 0n)
  return { nano: String(nano), requests: all.reduce((sum, item) => sum + item.requests, 0) }
}

/** Stops a worker and resolves with its exit code when it has stopped, or null if a signal ended it. */
async function ended(worker: Worker): Promise<number | null> {
  const gone = new Promise<number | null>((resolve) => worker.once('exit', (code) => resolve(code)))
  worker.process.kill('SIGTERM')
  return await gone
}
