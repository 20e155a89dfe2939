import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { countTokens } from '../gateway/count-tokens.ts'

export interface ToCount {
  id: number
  text: string
}

export interface Counted {
  id: number
  tokens: number
}

interface Waiting {
  text: string
  resolve(tokens: number | Promise<number>): void
}

/**
 * Relative to the project's folder, in which all of its processes run: in Next's bundle, a file does not know its own location.
 */
const THREAD = join('lib', 'host', 'count-thread.ts')
const IDLE_MS = 300_000

/**
 * Counts tokens in a separate thread. The vocabulary takes about 150 ms to load and 75 MB to keep, which would delay and slow
 * down every other request. The thread starts with the first text and ends after `idleMs` without any. If the thread dies, the
 * texts it has not counted are counted here.
 */
export class TokenCounter {
  readonly #failed: (error: unknown) => void
  readonly #idleMs: number
  readonly #thread: string
  readonly #waiting = new Map<number, Waiting>()
  #worker: Worker | null = null
  #ending: NodeJS.Timeout | null = null
  #last = 0

  /** `failed` is called when a thread dies. */
  constructor(options: { failed: (error: unknown) => void; idleMs?: number; thread?: string }) {
    this.#failed = options.failed
    this.#idleMs = options.idleMs ?? IDLE_MS
    this.#thread = options.thread ?? THREAD
  }

  /** Whether the thread is running. */
  get running(): boolean {
    return this.#worker !== null
  }

  count(text: string): Promise<number> {
    if (text.length === 0) return Promise.resolve(0)
    if (this.#ending) clearTimeout(this.#ending)
    this.#ending = null
    this.#worker ??= this.#begin()
    // Keep the process alive while somebody waits.
    this.#worker.ref()
    const id = ++this.#last
    return new Promise((resolve) => {
      this.#waiting.set(id, { text, resolve })
      this.#worker?.postMessage({ id, text } satisfies ToCount)
    })
  }

  #begin(): Worker {
    const worker = new Worker(join(/* turbopackIgnore: true */ process.cwd(), this.#thread))
    worker.on('message', ({ id, tokens }: Counted) => {
      this.#waiting.get(id)?.resolve(tokens)
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) this.#rest(worker)
    })
    // An exit event follows.
    worker.on('error', this.#failed)
    worker.on('exit', () => {
      if (this.#worker !== worker) return
      this.#worker = null
      for (const { text, resolve } of this.#waiting.values()) resolve(countTokens(text))
      this.#waiting.clear()
    })
    return worker
  }

  #rest(worker: Worker): void {
    worker.unref()
    this.#ending = setTimeout(() => {
      this.#worker = null
      void worker.terminate()
    }, this.#idleMs)
    this.#ending.unref()
  }
}
