import type { GatewayPorts } from './ports.ts'

/** What one request has taken and gives back when it is over: its place in the process and among its key's, and its files. */
export class Taken {
  readonly #requestId: string
  readonly #ports: Pick<GatewayPorts, 'shed' | 'log'>
  #entered = false
  #leave: (() => void) | null = null
  #dispose: (() => Promise<void>) | null = null

  constructor(requestId: string, ports: Pick<GatewayPorts, 'shed' | 'log'>) {
    this.#requestId = requestId
    this.#ports = ports
  }

  /** Throws 503 where this process has too much to do. */
  enter(kind: 'read' | 'paid'): void {
    this.#ports.shed.enter(kind)
    this.#entered = true
  }

  /** Set once it has a place among its key's requests: what gives it back. */
  place(leave: () => void): void {
    this.#leave = leave
  }

  /** Set once files came with it: what removes them. */
  files(dispose: () => Promise<void>): void {
    this.#dispose = dispose
  }

  giveBack(): void {
    this.#leave?.()
    if (this.#entered) this.#ports.shed.leave()
    this.#entered = false
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
