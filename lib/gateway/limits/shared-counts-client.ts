import type { AnswerTo, CountsAnswer, CountsAsk, SharedCounts } from './counts-protocol.ts'

interface PendingAsk {
  ask: CountsAsk
  resolve(answer: CountsAnswer | null): void
}

/** The most asks in one message. */
const MAX_ASKS = 500

/**
 * Reaches the shared counts, and gives up early: an ask is answered within `timeoutMs`, or with null. After a failure nothing
 * waits for the counts until a probe has been answered. Asks that arrive while a message is in flight go into the next one.
 */
export class SharedCountsClient {
  readonly #counts: SharedCounts
  readonly #timeoutMs: number
  readonly #probeMs: number
  readonly #onChange: (reached: boolean, error: unknown) => void
  readonly #restoredListeners: (() => void)[] = []
  #queue: PendingAsk[] = []
  #sending = false
  #reachable = true
  #probe: NodeJS.Timeout | null = null
  #stopped = false
  /** How many processes share the counts, as last reported. */
  sharers: number

  constructor(options: {
    counts: SharedCounts
    timeoutMs: number
    probeMs: number
    /** The number of processes to assume until the counts are first reached. */
    sharers: number
    /** Called when the counts are lost, and when they are reachable again. */
    onChange: (reached: boolean, error: unknown) => void
  }) {
    this.#counts = options.counts
    this.#timeoutMs = options.timeoutMs
    this.#probeMs = options.probeMs
    this.#onChange = options.onChange
    this.sharers = options.sharers
  }

  get reachable(): boolean {
    return this.#reachable
  }

  /** Adds a listener that is called whenever the counts are reachable again after a loss. */
  onRestored(listener: () => void): void {
    this.#restoredListeners.push(listener)
  }

  /** The answer, or null if the counts are out of reach. */
  ask<A extends CountsAsk>(ask: A): Promise<AnswerTo<A> | null>
  ask(ask: CountsAsk): Promise<CountsAnswer | null> {
    if (!this.#reachable || this.#stopped) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#queue.push({ ask, resolve })
      if (!this.#sending) {
        this.#sending = true
        queueMicrotask(() => void this.#sendQueued())
      }
    })
  }

  /** Reports that this process is alive, and learns how many others are. */
  sendHeartbeat(): void {
    if (this.#reachable && !this.#stopped && !this.#sending) void this.#send([])
  }

  stop(): void {
    this.#stopped = true
    if (this.#probe) clearTimeout(this.#probe)
  }

  async #sendQueued(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, MAX_ASKS)
      const reply = await this.#send(batch.map(({ ask }) => ask))
      for (const [at, { resolve }] of batch.entries()) resolve(reply?.answers[at] ?? null)
    }
    this.#sending = false
  }

  async #send(asks: CountsAsk[]): Promise<{ answers: CountsAnswer[] } | null> {
    if (!this.#reachable && asks.length > 0) return null
    try {
      const reply = await withTimeout(this.#counts.send(asks), this.#timeoutMs)
      this.sharers = Math.max(1, reply.sharers)
      return reply
    } catch (error) {
      if (this.#reachable && !this.#stopped) {
        this.#reachable = false
        this.#onChange(false, error)
        this.#probeLater()
      }
      return null
    }
  }

  #probeLater(): void {
    this.#probe = setTimeout(async () => {
      const reply = await this.#send([])
      if (this.#stopped) return
      if (reply === null) return this.#probeLater()
      this.#reachable = true
      this.#onChange(true, null)
      for (const listener of this.#restoredListeners) listener()
    }, this.#probeMs)
    this.#probe.unref()
  }
}

/** A timeout is counted in this many steps. */
const TIMEOUT_STEPS = 5

/**
 * Rejects if an answer takes longer. A step that fires late still counts as one: the answer may have come while this process
 * was busy, and it is read before the next step.
 */
async function withTimeout<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timedOut = new Promise<never>((_, reject) => {
    const wait = (steps: number) => {
      if (steps === 0) reject(new Error(`no answer within ${ms} ms`))
      else timer = setTimeout(() => wait(steps - 1), ms / TIMEOUT_STEPS)
    }
    wait(TIMEOUT_STEPS)
  })
  try {
    return await Promise.race([answer, timedOut])
  } finally {
    clearTimeout(timer)
  }
}
