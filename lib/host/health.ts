import type { IncomingMessage, ServerResponse } from 'node:http'

/** A database check is reused for this long, so that probes do not become a load on the database. */
const CACHE_TTL_MS = 1000

/** Tells whether this process is up, and whether requests should be sent to it. */
export class Health {
  readonly #ping: () => Promise<boolean>
  readonly #ticks: () => number
  #last: { atMs: number; database: Promise<boolean> } | null = null
  draining = false

  constructor(options: { ping: () => Promise<boolean>; ticks: () => number }) {
    this.#ping = options.ping
    this.#ticks = options.ticks
  }

  /**
   * Serves GET /healthz (503 while this process stops, or its database does not respond or takes no writes) and /healthz/live
   * (200 as long as the process responds at all). Returns whether the request was for one of these.
   */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const path = (request.url ?? '').split('?', 1)[0]
    if (path !== '/healthz' && path !== '/healthz/live') return false
    if (path === '/healthz/live') reply(response, 200, { status: 'ok' })
    else void this.#state().then(({ status, database }) => reply(response, status === 'ok' ? 200 : 503, { status, database }))
    return true
  }

  async #state(): Promise<{ status: 'ok' | 'draining' | 'no database'; database: boolean }> {
    const now = this.#ticks()
    if (this.#last === null || now - this.#last.atMs > CACHE_TTL_MS) this.#last = { atMs: now, database: this.#ping() }
    const database = await this.#last.database
    return { status: this.draining ? 'draining' : database ? 'ok' : 'no database', database }
  }
}

function reply(response: ServerResponse, status: number, body: object): void {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
  response.writeHead(status, headers).end(`${JSON.stringify(body)}\n`)
}
