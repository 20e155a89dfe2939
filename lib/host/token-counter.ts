import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { countTokens } from '../gateway/count-tokens.ts'

export interface CountRequest {
  id: number
  text: string
}

export interface CountResponse {
  id: number
  tokens: number
}

interface PendingCount {
  text: string
  resolve(tokens: number | Promise<number>): void
}

/**
 * Relative to the project's folder, in which all of its processes run: in Next's bundle, a file does not know its own location.
 */
const WORKER_PATH = join('lib', 'host', 'count-thread.ts')
const IDLE_MS = 300_000

/**
 * Counts tokens in a separate thread. The vocabulary takes about 150 ms to load and 75 MB to keep, which would delay and slow
 * down every other request. The thread starts with the first text and ends after `idleMs` without any. If the thread dies, the
 * texts it has not counted are counted here.
 */
export class TokenCounter {
  readonly #onFailure: (error: unknown) => void
  readonly #idleMs: number
  readonly #workerPath: string
  readonly #pending = new Map<number, PendingCount>()
  #worker: Worker | null = null
  #idleTimer: NodeJS.Timeout | null = null
  #lastId = 0

  /** `onFailure` is called when a thread dies. */
  constructor(options: { onFailure: (error: unknown) => void; idleMs?: number; workerPath?: string }) {
    this.#onFailure = options.onFailure
    this.#idleMs = options.idleMs ?? IDLE_MS
    this.#workerPath = options.workerPath ?? WORKER_PATH
  }

  /** Whether the thread is running. */
  get running(): boolean {
    return this.#worker !== null
  }

  count(text: string): Promise<number> {
    if (text.length === 0) return Promise.resolve(0)
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    this.#idleTimer = null
    this.#worker ??= this.#startWorker()
    // Keep the process alive while somebody waits.
    this.#worker.ref()
    const id = ++this.#lastId
    return new Promise((resolve) => {
      this.#pending.set(id, { text, resolve })
      this.#worker?.postMessage({ id, text } satisfies CountRequest)
    })
  }

  #startWorker(): Worker {
    const worker = new Worker(join(/* turbopackIgnore: true */ process.cwd(), this.#workerPath))
    worker.on('message', ({ id, tokens }: CountResponse) => {
      this.#pending.get(id)?.resolve(tokens)
      this.#pending.delete(id)
      if (this.#pending.size === 0) this.#scheduleShutdown(worker)
    })
    // An exit event follows.
    worker.on('error', this.#onFailure)
    worker.on('exit', () => {
      if (this.#worker !== worker) return
      this.#worker = null
      for (const { text, resolve } of this.#pending.values()) resolve(countTokens(text))
      this.#pending.clear()
    })
    return worker
  }

  #scheduleShutdown(worker: Worker): void {
    worker.unref()
    this.#idleTimer = setTimeout(() => {
      this.#worker = null
      void worker.terminate()
    }, this.#idleMs)
    this.#idleTimer.unref()
  }
}
