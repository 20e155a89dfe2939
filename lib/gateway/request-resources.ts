import type { GatewayPorts } from './ports.ts'

/**
 * What one request has taken and gives back at its end: its places in the process and among its key's requests, room for its
 * body, and its files.
 */
export class RequestResources {
  readonly #requestId: string
  readonly #ports: Pick<GatewayPorts, 'shed' | 'bodies' | 'inFlight' | 'log'>
  #entered = false
  #releaseSlot: (() => void) | null = null
  #removeInFlight: (() => void) | null = null
  #body: { accountId: string; bytes: number } | null = null
  #dispose: (() => Promise<void>) | null = null

  constructor(requestId: string, ports: Pick<GatewayPorts, 'shed' | 'bodies' | 'inFlight' | 'log'>) {
    this.#requestId = requestId
    this.#ports = ports
  }

  /** Throws 503 if this process is overloaded. `stop` is called if the process ends before the request does. */
  enter(kind: 'read' | 'paid', stop: () => void): void {
    this.#ports.shed.enter(kind)
    this.#entered = true
    this.#removeInFlight = this.#ports.inFlight?.add(stop) ?? null
  }

  /** Called once the request has a place among its key's requests. `leave` gives it back. */
  setSlot(releaseSlot: () => void): void {
    this.#releaseSlot = releaseSlot
  }

  /** Throws 429 or 503 if there is no room for this much more of its body. */
  takeBodyBytes(accountId: string, bytes: number): void {
    this.#ports.bodies.take(accountId, bytes)
    this.#body = { accountId, bytes: bytes + (this.#body?.bytes ?? 0) }
  }

  /** Called once files came with the request. `dispose` removes them. */
  setFiles(dispose: () => Promise<void>): void {
    this.#dispose = dispose
  }

  release(): void {
    this.#removeInFlight?.()
    this.#releaseSlot?.()
    if (this.#entered) this.#ports.shed.leave()
    this.#entered = false
    if (this.#body) this.#ports.bodies.release(this.#body.accountId, this.#body.bytes)
    this.#body = null
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
