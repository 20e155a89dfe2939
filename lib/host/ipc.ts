/** One end of the channel between the primary and a worker. */
export interface Line {
  /** Sends a message. False if the other end is gone. */
  send(message: object): boolean
}

type Handler = (data: unknown) => unknown

interface Asked {
  resolve(data: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

interface Question {
  tollgate: 'ask'
  id: number
  topic: string
  data: unknown
}

interface Answer {
  tollgate: 'answer'
  id: number
  data?: unknown
  error?: string
}

/** Requests and responses between the primary and one of its workers, in both directions. */
export class Talk {
  readonly #line: Line
  readonly #handlers: Record<string, Handler>
  readonly #asked = new Map<number, Asked>()
  #count = 0

  constructor(line: Line, handlers: Record<string, Handler>) {
    this.#line = line
    this.#handlers = handlers
  }

  /** Asks the other end. Rejects if it is gone, fails, or does not respond in time. */
  ask<T>(topic: string, data: unknown, timeoutMs: number): Promise<T> {
    const id = ++this.#count
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => this.#drop(id, new Error(`no answer to "${topic}" within ${timeoutMs} ms`)), timeoutMs)
      this.#asked.set(id, { resolve: resolve as (data: unknown) => void, reject, timer })
      const question: Question = { tollgate: 'ask', id, topic, data }
      if (!this.#line.send(question)) this.#drop(id, new Error('the other process is gone'))
    })
  }

  /** Takes an incoming message. Messages of other senders are ignored. */
  hear(message: unknown): void {
    const known = message as Question | Answer | null
    if (typeof known !== 'object' || known === null) return
    if (known.tollgate === 'ask') void this.#answer(known)
    else if (known.tollgate === 'answer') {
      const asked = this.#asked.get(known.id)
      if (!asked) return
      this.#asked.delete(known.id)
      clearTimeout(asked.timer)
      if (known.error === undefined) asked.resolve(known.data)
      else asked.reject(new Error(known.error))
    }
  }

  /** Call when the other end is gone: everything that was asked rejects. */
  close(): void {
    for (const id of [...this.#asked.keys()]) this.#drop(id, new Error('the other process is gone'))
  }

  async #answer({ id, topic, data }: Question): Promise<void> {
    let answer: Answer
    try {
      const handler = this.#handlers[topic]
      if (!handler) throw new Error(`nobody answers "${topic}"`)
      answer = { tollgate: 'answer', id, data: await handler(data) }
    } catch (error) {
      answer = { tollgate: 'answer', id, error: String(error) }
    }
    this.#line.send(answer)
  }

  #drop(id: number, error: Error): void {
    const asked = this.#asked.get(id)
    if (!asked) return
    this.#asked.delete(id)
    clearTimeout(asked.timer)
    asked.reject(error)
  }
}
