import pg from 'pg'
import { CHANGE_CHANNEL } from './notify-change.ts'

export interface ChangeHandlers {
  onRecall(purseId: string): void
  onReturned(purseId: string): void
  onChange(topic: string, ref: string): void
}

const CHANNELS = ['tollgate_recall', 'tollgate_returned', CHANGE_CHANNEL]
const POLL_MS = 500
const RECONNECT_MS = 500
/** A connection that is silent for this long counts as dead. The pool closes a connection on which a query failed. */
const QUERY_TIMEOUT = { query_timeout: 10_000 }
/** Changes are kept for an hour. A process that was away for nearly that long reads everything again. */
const RETENTION_S = 3600
const MAX_GAP_MS = 50 * 60_000
const LOOK_BACK_S = 60

// One statement is one snapshot: what it does not contain belongs to a transaction from "reached" on, and the next read finds
// it.
const READ = `
  SELECT s.reached, c.id, c.topic, c.ref
    FROM (SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS reached) s
    LEFT JOIN change c ON c.at > now() - make_interval(secs => $1) OR c.transaction >= $2::bigint
   ORDER BY c.id`

type Row = { reached: string } & ({ id: string; topic: string; ref: string } | { id: null })

/**
 * Receives the changes of other processes. NOTIFY is only the fast path: the table `change` is read every half second too, so a lost
 * notification causes no longer delay than that.
 */
export class ChangeListener {
  readonly #url: string
  readonly #pool: pg.Pool
  readonly #handlers: ChangeHandlers
  readonly #warn: (message: string, error: unknown) => void
  #client: pg.Client | null = null
  #poll: NodeJS.Timeout | null = null
  #retry: NodeJS.Timeout | null = null
  #seenIds = new Set<string>()
  #readAt = performance.now()
  /** All transactions below this number had ended when changes were last read. Null before the first read. */
  #reached: string | null = null
  #stopped = false

  constructor(options: {
    url: string
    pool: pg.Pool
    handlers: ChangeHandlers
    warn: (message: string, error: unknown) => void
  }) {
    this.#url = options.url
    this.#pool = options.pool
    this.#handlers = options.handlers
    this.#warn = options.warn
  }

  /**
   * Listens and polls until stop(). Begins with all changes that are kept: the process has read the catalog before it starts,
   * and would never learn of changes that were committed in between, however long ago they were written.
   */
  async start(): Promise<void> {
    await this.#read()
    await this.#listen().catch((error: unknown) => this.#scheduleReconnect(error))
    const runRound = async () => {
      await this.#read().catch((error: unknown) => this.#warn('reading changes waits for the database', error))
      if (!this.#stopped) this.#poll = setTimeout(() => void runRound(), POLL_MS)
    }
    this.#poll = setTimeout(() => void runRound(), POLL_MS)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#poll) clearTimeout(this.#poll)
    if (this.#retry) clearTimeout(this.#retry)
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => undefined)
  }

  async #listen(): Promise<void> {
    const client = new pg.Client({ connectionString: this.#url, application_name: 'tollgate listen', keepAlive: true })
    client.on('error', () => undefined)
    client.on('end', () => {
      if (this.#client === client) this.#scheduleReconnect(new Error('the listening connection ended'))
    })
    client.on('notification', ({ channel, payload = '' }) => {
      if (channel === 'tollgate_recall') this.#handlers.onRecall(payload)
      else if (channel === 'tollgate_returned') this.#handlers.onReturned(payload)
      else void this.#read().catch(() => undefined)
    })
    try {
      await client.connect()
      for (const channel of CHANNELS) await client.query(`LISTEN ${channel}`)
      if (this.#stopped) throw new Error('stopped while it connected')
      this.#client = client
    } catch (error) {
      // A standby accepts connections but no LISTEN, so connections would pile up.
      await client.end().catch(() => undefined)
      throw error
    }
  }

  #scheduleReconnect(error: unknown): void {
    this.#client = null
    if (this.#stopped) return
    this.#warn('listening for changes is tried again', error)
    this.#retry = setTimeout(() => {
      this.#listen().catch((failure: unknown) => this.#scheduleReconnect(failure))
    }, RECONNECT_MS)
  }

  /**
   * Numbers are assigned before commit, so a higher one can be seen first. That is why this reads everything written by
   * transactions that had not ended at the last read, plus the whole last minute, plus any time in which this process was
   * paused or could not reach the database. Time alone would miss slow commits. Transactions alone would miss what another
   * server committed after it took over from a lost one, where numbers start again below those already seen.
   */
  async #read(): Promise<void> {
    const startedAt = performance.now()
    const lookBackS = this.#reached === null ? RETENTION_S : LOOK_BACK_S + (startedAt - this.#readAt) / 1000
    const { rows } = await this.#pool.query<Row>({ text: READ, values: [lookBackS, this.#reached], ...QUERY_TIMEOUT })
    if (startedAt - this.#readAt > MAX_GAP_MS) for (const topic of ['catalog', 'setting']) this.#handlers.onChange(topic, '')
    this.#readAt = startedAt
    this.#reached = rows[0]?.reached ?? null
    const currentIds = new Set<string>()
    for (const row of rows) {
      if (row.id === null) continue
      currentIds.add(row.id)
      if (!this.#seenIds.has(row.id)) this.#handlers.onChange(row.topic, row.ref)
    }
    this.#seenIds = currentIds
  }
}
