import type { GatewayPorts } from './ports.ts'

/**
 * What one request has taken and gives back at its end: its places in the process and among its key's requests, room for its
 * body, and its files.
 */
export class Taken {
  readonly #requestId: string
  readonly #ports: Pick<GatewayPorts, 'shed' | 'bodies' | 'underWay' | 'log'>
  #entered = false
  #leave: (() => void) | null = null
  #isOver: (() => void) | null = null
  #room: { accountId: string; bytes: number } | null = null
  #dispose: (() => Promise<void>) | null = null

  constructor(requestId: string, ports: Pick<GatewayPorts, 'shed' | 'bodies' | 'underWay' | 'log'>) {
    this.#requestId = requestId
    this.#ports = ports
  }

  /** Throws 503 if this process is overloaded. `stop` is called if the process ends before the request does. */
  enter(kind: 'read' | 'paid', stop: () => void): void {
    this.#ports.shed.enter(kind)
    this.#entered = true
    this.#isOver = this.#ports.underWay?.add(stop) ?? null
  }

  /** Called once the request has a place among its key's requests. `leave` gives it back. */
  place(leave: () => void): void {
    this.#leave = leave
  }

  /** Throws 429 or 503 if there is no room for this much more of its body. */
  room(accountId: string, bytes: number): void {
    this.#ports.bodies.take(accountId, bytes)
    this.#room = { accountId, bytes: bytes + (this.#room?.bytes ?? 0) }
  }

  /** Called once files came with the request. `dispose` removes them. */
  files(dispose: () => Promise<void>): void {
    this.#dispose = dispose
  }

  giveBack(): void {
    this.#isOver?.()
    this.#leave?.()
    if (this.#entered) this.#ports.shed.leave()
    this.#entered = false
    if (this.#room) this.#ports.bodies.give(this.#room.accountId, this.#room.bytes)
    this.#room = null
    this.removeFiles()
  }

  removeFiles(): void {
    const dispose = this.#dispose
    this.#dispose = null
    dispose?.().catch((error: unknown) =>
      this.#ports.log.warn({ request: this.#requestId, error: String(error) }, 'files of a request stay on disk'),
    )
  }
}
