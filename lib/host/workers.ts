import cluster, { type Worker } from 'node:cluster'
import { Counts } from '../gateway/limits/counts.ts'
import type { CountsAsk } from '../gateway/limits/counts-protocol.ts'
import { IpcChannel } from './ipc.ts'
import type { PackedHeld } from './primary.ts'
import { closeUnacceptedConnections } from './unaccepted-connections.ts'
import { WorkerMetrics } from './worker-metrics.ts'

export interface WorkerOptions {
  /** The program that each worker runs. */
  exec: string
  /** The workers: the name of each for people, and its environment in addition to that of this process. */
  slots: { name: string; env: Record<string, string> }[]
  /** When a worker stops, how long it lets requests in progress finish, in milliseconds. */
  drainMs: number
  printLine: (line: string) => void
}

interface Slot {
  name: string
  env: Record<string, string>
  worker: Worker | null
  ipc: IpcChannel | null
  ready: boolean
  /** How many times in a row it started and did not stay up. */
  failures: number
  timer: NodeJS.Timeout | null
}

/** A worker that stays up this long has started successfully. */
const STABLE_MS = 10_000
const MIN_RESTART_DELAY_MS = 100
const MAX_DELAY_MS = 10_000
/** Added to the time that requests have to finish. A worker gives up by itself a little sooner. */
const STOP_GRACE_MS = 12_000
const REQUEST_TIMEOUT_MS = 1000
const SWEEP_MS = 10_000

/**
 * The workers of this machine. This process serves no requests: it keeps the counts that the workers share, adds up their
 * metrics, and replaces a worker that dies.
 */
export class Workers {
  readonly #printLine: (line: string) => void
  readonly #slots: Slot[]
  readonly #drainMs: number
  readonly #counts = new Counts({ ticks: () => performance.now() })
  readonly #metrics = new WorkerMetrics()
  readonly #sharers: number
  readonly #sweepTimer: NodeJS.Timeout
  #stopping = false
  #rejectStart: ((error: Error) => void) | null = null
  #resolveStart: (() => void) | null = null

  constructor({ exec, slots, drainMs, printLine }: WorkerOptions) {
    cluster.setupPrimary({ exec, args: [] })
    this.#printLine = printLine
    this.#drainMs = drainMs
    this.#slots = slots.map((slot) => ({ ...slot, worker: null, ipc: null, ready: false, failures: 0, timer: null }))
    this.#sharers = slots.length
    this.#sweepTimer = setInterval(() => this.#counts.sweep(), SWEEP_MS)
  }

  /** Resolves when all workers serve. Rejects if one of them cannot start. */
  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#rejectStart = reject
      this.#resolveStart = resolve
      for (const slot of this.#slots) this.#fork(slot)
    }).finally(() => {
      this.#rejectStart = null
    })
  }

  /** Lets all workers finish their requests in progress. Resolves when they are gone, with whether all of them had finished. */
  async stop(): Promise<boolean> {
    this.#stopping = true
    clearInterval(this.#sweepTimer)
    for (const slot of this.#slots) if (slot.timer) clearTimeout(slot.timer)
    const killTimer = setTimeout(() => this.kill(), this.#drainMs + STOP_GRACE_MS)
    const exitedCleanly = await Promise.all(this.#slots.map((slot) => this.#stopWorker(slot)))
    clearTimeout(killTimer)
    return exitedCleanly.every(Boolean)
  }

  /** Kills all workers at once. */
  kill(): void {
    this.#stopping = true
    for (const worker of this.#liveWorkers()) worker.process.kill('SIGKILL')
  }

  /**
   * Stops a worker and resolves when it is gone, with whether it finished. A worker that did not serve yet had nothing to finish,
   * however it ends.
   */
  async #stopWorker({ worker, ready }: Slot): Promise<boolean> {
    if (!worker || worker.isDead()) return true
    const code = await terminate(worker)
    return code === 0 || !ready
  }

  #liveWorkers(): Worker[] {
    return this.#slots.flatMap(({ worker }) => (worker && !worker.isDead() ? [worker] : []))
  }

  #fork(slot: Slot): void {
    const startedAt = performance.now()
    const worker = cluster.fork(slot.env)
    closeUnacceptedConnections(worker.process)
    const holder = String(worker.id)
    const send = (message: object): boolean => {
      if (!worker.isConnected()) return false
      worker.send(message, undefined, () => undefined)
      return true
    }
    const channel = new IpcChannel(
      { send },
      {
        counts: (asks) => ({
          sharers: this.#sharers,
          answers: (asks as CountsAsk[]).map((ask) => this.#counts.answer(ask, this.#sharers, holder)),
        }),
        metrics: async () => {
          await this.#requestAll<object[]>('metrics', null, (holder, workerMetrics) =>
            this.#metrics.record(holder, workerMetrics),
          )
          return await this.#metrics.text()
        },
        held: async (accountId) => {
          const all: PackedHeld[] = []
          await this.#requestAll<PackedHeld>('held', accountId, (_, held) => all.push(held))
          return sumHeld(all)
        },
        ready: () => this.#markReady(slot),
      },
    )
    slot.worker = worker
    slot.ipc = channel
    slot.ready = false
    worker.on('message', (message: unknown) => channel.receive(message))
    worker.on('error', () => undefined)
    worker.once('exit', (code, signal) => {
      channel.close()
      this.#counts.forget(holder)
      this.#metrics.forget(holder)
      slot.worker = null
      slot.ipc = null
      slot.ready = false
      if (!this.#stopping) this.#restart(slot, signal ?? `exit code ${code}`, performance.now() - startedAt)
    })
  }

  #markReady(slot: Slot): void {
    slot.ready = true
    if (this.#slots.every(({ ready }) => ready)) this.#resolveStart?.()
  }

  #restart(slot: Slot, cause: string, uptimeMs: number): void {
    if (this.#rejectStart) {
      // Whatever prevents the first start of one worker prevents all of them. The worker has printed the reason.
      this.#rejectStart(new Error(`The worker "${slot.name}" could not start (${cause}).`))
      return
    }
    slot.failures = uptimeMs > STABLE_MS ? 0 : slot.failures + 1
    const delayMs = slot.failures === 0 ? 0 : Math.min(MAX_DELAY_MS, MIN_RESTART_DELAY_MS * 2 ** (slot.failures - 1))
    this.#printLine(`The worker "${slot.name}" has ended (${cause}). Another one starts in ${delayMs} ms.`)
    slot.timer = setTimeout(() => this.#fork(slot), delayMs)
  }

  /** Asks all workers that serve. Those that do not respond in time are left out. */
  async #requestAll<T>(topic: string, data: unknown, onAnswer: (holder: string, answer: T) => void): Promise<void> {
    const pending = this.#slots.map(async ({ worker, ipc, ready }) => {
      if (worker && ipc && ready) onAnswer(String(worker.id), await ipc.request<T>(topic, data, REQUEST_TIMEOUT_MS))
    })
    await Promise.allSettled(pending)
  }
}

function sumHeld(all: PackedHeld[]): PackedHeld {
  const nano = all.reduce((sum, item) => sum + BigInt(item.nano), 0n)
  return { nano: String(nano), requests: all.reduce((sum, item) => sum + item.requests, 0) }
}

/** Stops a worker and resolves with its exit code when it has stopped, or null if a signal ended it. */
async function terminate(worker: Worker): Promise<number | null> {
  const exited = new Promise<number | null>((resolve) => worker.once('exit', (code) => resolve(code)))
  worker.process.kill('SIGTERM')
  return await exited
}
