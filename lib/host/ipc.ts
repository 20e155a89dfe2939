/** One end of the channel between the primary and a worker. */
export interface MessageSender {
  /** Sends a message. False if the other end is gone. */
  send(message: object): boolean
}

type Handler = (data: unknown) => unknown

interface PendingRequest {
  resolve(data: unknown): void
  reject(error: Error): void
  timer: NodeJS.Timeout
}

interface IpcRequest {
  tollgate: 'ask'
  id: number
  topic: string
  data: unknown
}

interface IpcResponse {
  tollgate: 'answer'
  id: number
  data?: unknown
  error?: string
}

/** Requests and responses between the primary and one of its workers, in both directions. */
export class IpcChannel {
  readonly #sender: MessageSender
  readonly #handlers: Record<string, Handler>
  readonly #pending = new Map<number, PendingRequest>()
  #lastId = 0

  constructor(sender: MessageSender, handlers: Record<string, Handler>) {
    this.#sender = sender
    this.#handlers = handlers
  }

  /** Asks the other end. Rejects if it is gone, fails, or does not respond in time. */
  request<T>(topic: string, data: unknown, timeoutMs: number): Promise<T> {
    const id = ++this.#lastId
    return new Promise<T>((resolve, reject) => {
      const timer = setTimeout(() => this.#fail(id, new Error(`no answer to "${topic}" within ${timeoutMs} ms`)), timeoutMs)
      this.#pending.set(id, { resolve: resolve as (data: unknown) => void, reject, timer })
      const question: IpcRequest = { tollgate: 'ask', id, topic, data }
      if (!this.#sender.send(question)) this.#fail(id, new Error('the other process is gone'))
    })
  }

  /** Takes an incoming message. Messages of other senders are ignored. */
  receive(message: unknown): void {
    const known = message as IpcRequest | IpcResponse | null
    if (typeof known !== 'object' || known === null) return
    if (known.tollgate === 'ask') void this.#respond(known)
    else if (known.tollgate === 'answer') {
      const pending = this.#pending.get(known.id)
      if (!pending) return
      this.#pending.delete(known.id)
      clearTimeout(pending.timer)
      if (known.error === undefined) pending.resolve(known.data)
      else pending.reject(new Error(known.error))
    }
  }

  /** Call when the other end is gone: everything that was asked rejects. */
  close(): void {
    for (const id of [...this.#pending.keys()]) this.#fail(id, new Error('the other process is gone'))
  }

  async #respond({ id, topic, data }: IpcRequest): Promise<void> {
    let answer: IpcResponse
    try {
      const handler = this.#handlers[topic]
      if (!handler) throw new Error(`nobody answers "${topic}"`)
      answer = { tollgate: 'answer', id, data: await handler(data) }
    } catch (error) {
      answer = { tollgate: 'answer', id, error: String(error) }
    }
    this.#sender.send(answer)
  }

  #fail(id: number, error: Error): void {
    const pending = this.#pending.get(id)
    if (!pending) return
    this.#pending.delete(id)
    clearTimeout(pending.timer)
    pending.reject(error)
  }
}
