import type { Answer, AnswerTo, Ask, SharedCounts } from './ask.ts'

interface Waiting {
  ask: Ask
  resolve(answer: Answer | null): void
}

/** The most asks in one message. */
const MAX_ASKS = 500

/**
 * Reaches the shared counts, and gives up early: an ask is answered within `timeoutMs`, or with null. After a failure nothing
 * waits for the counts until a probe has been answered. Asks that arrive while a message is in flight go into the next one.
 */
export class Reach {
  readonly #counts: SharedCounts
  readonly #timeoutMs: number
  readonly #probeMs: number
  readonly #changed: (reached: boolean, error: unknown) => void
  readonly #restored: (() => void)[] = []
  #queue: Waiting[] = []
  #sending = false
  #reached = true
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
    changed: (reached: boolean, error: unknown) => void
  }) {
    this.#counts = options.counts
    this.#timeoutMs = options.timeoutMs
    this.#probeMs = options.probeMs
    this.#changed = options.changed
    this.sharers = options.sharers
  }

  get reached(): boolean {
    return this.#reached
  }

  /** Adds a listener that is called whenever the counts are reachable again after a loss. */
  onRestored(listener: () => void): void {
    this.#restored.push(listener)
  }

  /** The answer, or null if the counts are out of reach. */
  ask<A extends Ask>(ask: A): Promise<AnswerTo<A> | null>
  ask(ask: Ask): Promise<Answer | null> {
    if (!this.#reached || this.#stopped) return Promise.resolve(null)
    return new Promise((resolve) => {
      this.#queue.push({ ask, resolve })
      if (!this.#sending) {
        this.#sending = true
        queueMicrotask(() => void this.#run())
      }
    })
  }

  /** Reports that this process is alive, and learns how many others are. */
  beat(): void {
    if (this.#reached && !this.#stopped && !this.#sending) void this.#send([])
  }

  stop(): void {
    this.#stopped = true
    if (this.#probe) clearTimeout(this.#probe)
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      const batch = this.#queue.splice(0, MAX_ASKS)
      const reply = await this.#send(batch.map(({ ask }) => ask))
      for (const [at, { resolve }] of batch.entries()) resolve(reply?.answers[at] ?? null)
    }
    this.#sending = false
  }

  async #send(asks: Ask[]): Promise<{ answers: Answer[] } | null> {
    if (!this.#reached && asks.length > 0) return null
    try {
      const reply = await inTime(this.#counts.send(asks), this.#timeoutMs)
      this.sharers = Math.max(1, reply.sharers)
      return reply
    } catch (error) {
      if (this.#reached && !this.#stopped) {
        this.#reached = false
        this.#changed(false, error)
        this.#tryLater()
      }
      return null
    }
  }

  #tryLater(): void {
    this.#probe = setTimeout(async () => {
      const reply = await this.#send([])
      if (this.#stopped) return
      if (reply === null) return this.#tryLater()
      this.#reached = true
      this.#changed(true, null)
      for (const listener of this.#restored) listener()
    }, this.#probeMs)
    this.#probe.unref()
  }
}

/** A timeout is counted in this many steps. */
const STEPS = 5

/**
 * Rejects if an answer takes longer. A step that fires late still counts as one: the answer may have come while this process
 * was busy, and it is read before the next step.
 */
async function inTime<T>(answer: Promise<T>, ms: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const wait = (steps: number) => {
      if (steps === 0) reject(new Error(`no answer within ${ms} ms`))
      else timer = setTimeout(() => wait(steps - 1), ms / STEPS)
    }
    wait(STEPS)
  })
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
