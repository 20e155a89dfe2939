import { hostname } from 'node:os'
import pg from 'pg'
import { minBigInt } from '../../domain/money.ts'
import type { SettlementResult } from '../../domain/settlement.ts'
import type { Batch, GrowRequest, GrowResult, LedgerStore, SettlementRow } from '../../ledger/ports.ts'
import { SESSION_SETTINGS } from '../open-pool.ts'
import { isTransient } from '../transient.ts'
import { withoutLostClaims } from './claims.ts'
import { encodeSettlements, postSettlements, postSettlementsFast, prepareSettling } from './settle.ts'

interface Row {
  [column: string]: unknown
}

const toBigInt = (value: unknown): bigint => BigInt(value as string)

/** The most that a balance can be. A request may ask for more, and those that wait for the same purse may do so together. */
const MAX_BALANCE = 2n ** 63n - 1n
/** An amount to ask for, so that one that no balance covers is refused like any other, and does not fail the question. */
const toAsked = (amount: bigint): string => String(minBigInt(amount, MAX_BALANCE))

async function settleClaimed(
  client: pg.Client,
  batch: Batch,
  mayBePosted: boolean,
  rows: readonly SettlementRow[],
): Promise<SettlementResult[]> {
  await client.query('BEGIN')
  try {
    const claimedRows = await withoutLostClaims(client, rows)
    if (claimedRows.some((row, at) => row !== rows[at])) Object.assign(batch, encodeSettlements(claimedRows))
    const answers = await postSettlements(client, batch, mayBePosted, claimedRows)
    await client.query('COMMIT')
    return answers
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined)
    throw error
  }
}

/** Errors for settlements that the quick way does not handle: it says so itself, or a purse or lease would go below zero. */
const UNSUPPORTED_CODES: ReadonlySet<unknown> = new Set(['TG001', '23514'])

/**
 * A transaction of several messages locks the purses or the ids of its batch. If its process is paused or its machine is gone,
 * it must end soon, or nobody else could charge or even sweep them. A transaction that was cut off between the messages of a
 * pipeline is not idle to the server. It ends by `transaction_timeout`, available since PostgreSQL 17, or with its connection.
 */
const SETTINGS = `${SESSION_SETTINGS};
  SET synchronous_commit = on; SET statement_timeout = 0; SET idle_in_transaction_session_timeout = '5s';
  SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3;
  SELECT set_config('transaction_timeout', '20s', false) WHERE current_setting('transaction_timeout', true) IS NOT NULL`

/**
 * A connection without an answer for this long is given up. If its server is gone without notice, as in a failover, it would
 * stay silent for a quarter of an hour. The statement is retried; everything here allows for it having been executed already.
 */
const RESPONSE_TIMEOUT_MS = 10_000
/** The same for a statement through the pool, which closes the connection if a statement fails. */
const QUERY_TIMEOUT = { query_timeout: RESPONSE_TIMEOUT_MS }

/** Waits for an answer on a connection. If none comes in time, ends the connection and rejects as if it had broken. */
async function withTimeout<T>(client: pg.Client, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => void client.end(), RESPONSE_TIMEOUT_MS)
  try {
    return await work
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The ledger's statements. Settling has its own connection, on which the server is told to wait for the disk, so that neither a
 * busy pool nor a setting of the database can make a charge less than durable.
 */
export class PgLedgerStore implements LedgerStore {
  readonly #pool: pg.Pool
  readonly #url: string
  readonly #onRefused: (error: unknown) => void
  #client: pg.Client | null = null
  /** Whether the database has everything that the quick way of settling needs. */
  #supportsFastPath = false
  #refusalReported = false
  #opening: Promise<pg.Client> | null = null
  /** The last posting. Postings share a connection, and one must not get into another's transaction. */
  #lastPosting: Promise<unknown> = Promise.resolve()

  /** `onRefused` is called once per connection if the database does not accept settlements in the quick way. */
  constructor(options: { pool: pg.Pool; url: string; onRefused?: (error: unknown) => void }) {
    this.#pool = options.pool
    this.#url = options.url
    this.#onRefused = options.onRefused ?? (() => undefined)
  }

  encode(rows: readonly SettlementRow[]): Batch {
    return encodeSettlements(rows)
  }

  settle(batch: Batch, mayBePosted: boolean, rows: readonly SettlementRow[] | null): Promise<SettlementResult[]> {
    const run = this.#lastPosting.then(async () => {
      const client = await this.#ledgerClient()
      return await withTimeout(client, this.#post(client, batch, mayBePosted, rows))
    })
    this.#lastPosting = run.catch(() => undefined)
    return run
  }

  async #post(
    client: pg.Client,
    batch: Batch,
    mayBePosted: boolean,
    rows: readonly SettlementRow[] | null,
  ): Promise<SettlementResult[]> {
    if (rows?.some((row) => row.item.answer !== null)) return await settleClaimed(client, batch, mayBePosted, rows)
    const settled = mayBePosted || rows === null || !this.#supportsFastPath ? null : await this.#postFast(client, batch, rows)
    return settled ?? (await postSettlements(client, batch, mayBePosted, rows))
  }

  /**
   * Returns null if the quick way cannot settle them or the database refuses them. The full way then runs and reports the
   * reason.
   */
  async #postFast(client: pg.Client, batch: Batch, rows: readonly SettlementRow[]): Promise<SettlementResult[] | null> {
    try {
      return await postSettlementsFast(client, batch, rows)
    } catch (error) {
      // It is unknown whether this posting took effect.
      if (isTransient(error)) throw error
      if (!UNSUPPORTED_CODES.has((error as { code?: unknown }).code)) this.#reportRefusal(error)
      return null
    }
  }

  #reportRefusal(error: unknown): void {
    if (!this.#refusalReported) this.#onRefused(error)
    this.#refusalReported = true
  }

  async grow(request: GrowRequest): Promise<GrowResult | null> {
    const { budget } = request
    const result = await this.#pool.query<Row>({
      name: 'lease_grow',
      text: 'SELECT * FROM lease_grow($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
      values: [
        request.owner,
        request.purseId,
        request.accountId,
        budget?.keyId ?? null,
        budget ? String(budget.limit) : null,
        budget?.monthStart ?? null,
        String(request.seq),
        toAsked(request.need),
        toAsked(request.want),
        request.since,
      ],
      ...QUERY_TIMEOUT,
    })
    const [row] = result.rows
    if (!row) return null
    return {
      granted: toBigInt(row.granted),
      balance: toBigInt(row.balance_nano),
      elsewhere: row.elsewhere as boolean,
      unheard: row.unheard as boolean,
      askedAt: row.asked_at as Date,
    }
  }

  async returnMoney(owner: string, purseId: string, seq: bigint, amount: bigint): Promise<void> {
    const values = [owner, purseId, String(seq), String(amount)]
    await this.#pool.query({ text: 'SELECT lease_return($1, $2, $3, $4)', values, ...QUERY_TIMEOUT })
  }

  async register(owner: string, lifetimeMs: number): Promise<void> {
    await this.#pool.query({
      text: `INSERT INTO process (id, beat_at, started_at, pid, host, life_ms)
             VALUES ($1, clock_timestamp(), clock_timestamp(), $2, $3, $4) ON CONFLICT DO NOTHING`,
      values: [owner, process.pid, hostname(), lifetimeMs],
      ...QUERY_TIMEOUT,
    })
  }

  async heartbeat(owner: string): Promise<{ recalled: string[]; timeline: string } | null> {
    const result = await this.#pool.query<{ recalled: string[]; timeline: string }>({
      text: 'SELECT * FROM process_beat($1)',
      values: [owner],
      ...QUERY_TIMEOUT,
    })
    return result.rows[0] ?? null
  }

  async sweepDeadProcess(lifetimeMs: number): Promise<string | null> {
    const result = await this.#pool.query<{ dead: string | null }>({
      text: 'SELECT sweep_one(make_interval(secs => $1)) AS dead',
      values: [lifetimeMs / 1000],
      ...QUERY_TIMEOUT,
    })
    return result.rows[0]?.dead ?? null
  }

  async release(owner: string): Promise<void> {
    await this.#pool.query({ text: 'SELECT release_process($1)', values: [owner], ...QUERY_TIMEOUT })
  }

  async close(): Promise<void> {
    const client = this.#client
    this.#client = null
    await client?.end()
  }

  #ledgerClient(): Promise<pg.Client> {
    if (this.#client) return Promise.resolve(this.#client)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = null
    })
    return this.#opening
  }

  async #open(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'tollgate ledger',
      connectionTimeoutMillis: 5000,
      keepAlive: true,
    })
    const onLost = () => {
      if (this.#client === client) this.#client = null
    }
    client.on('error', onLost)
    client.on('end', onLost)
    try {
      await client.connect()
      await withTimeout(client, this.#prepare(client))
    } catch (error) {
      client.end().catch(() => undefined)
      // The database may be missing, the password changed, or file handles used up. None of that says anything about what is to
      // be posted, so no charge is given up for it (PostgreSQL manual, appendix A: unable to connect).
      throw Object.assign(new Error(`the ledger cannot connect: ${String(error)}`, { cause: error }), { code: '08001' })
    }
    this.#client = client
    return client
  }

  async #prepare(client: pg.Client): Promise<void> {
    await client.query(SETTINGS)
    this.#refusalReported = false
    this.#supportsFastPath = await prepareSettling(client).then(
      () => true,
      (error: unknown) => {
        if (isTransient(error)) throw error
        this.#reportRefusal(error)
        return false
      },
    )
  }
}
