import type { LedgerLog, LedgerStore, Ticks } from './ports.ts'

export interface MembershipEvents {
  /** This process is a new owner; the leases of the old one are gone. */
  onRestart(owner: string): void
  onRecall(purseId: string): void
  /** The database server moved to another timeline, so its last commits may be lost. */
  onFailover(): Promise<void>
  /** A heartbeat that was sent at this moment of ticks() has arrived, and what a failover may have lost has been posted again. */
  onHeartbeat(sentAtMs: number): void
}

/**
 * This process among the others: it registers, sends heartbeats, and sweeps processes whose heartbeats have stopped. The
 * database's clock measures the age of a heartbeat. Whether this process may still admit is measured by its own monotonic clock,
 * from before the heartbeat was sent, so that a pause of this process or of its clock errs on the safe side.
 */
export class Membership {
  readonly #store: LedgerStore
  readonly #log: LedgerLog
  readonly #ticks: Ticks
  readonly #newOwner: () => string
  readonly #lifetimeMs: number
  readonly #events: MembershipEvents
  #owner = ''
  #timeline: string | null = null
  #lastHeartbeatMs = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | null = null
  #joining: Promise<void> | null = null
  #stopped = false

  constructor(options: {
    store: LedgerStore
    log: LedgerLog
    ticks: Ticks
    newOwner: () => string
    lifetimeMs: number
    events: MembershipEvents
  }) {
    this.#store = options.store
    this.#log = options.log
    this.#ticks = options.ticks
    this.#newOwner = options.newOwner
    this.#lifetimeMs = options.lifetimeMs
    this.#events = options.events
  }

  get owner(): string {
    return this.#owner
  }

  /** Whether this process may admit: it stops half a life after the last heartbeat that arrived was sent. */
  mayAdmit(): boolean {
    return this.#ticks() - this.#lastHeartbeatMs < this.#lifetimeMs / 2
  }

  /** Registers, then sends heartbeats and sweeps every sixth of a life until stop(). */
  async start(): Promise<void> {
    await this.join()
    const runRound = async () => {
      await this.sendHeartbeat()
      await this.sweep()
      if (!this.#stopped) this.#timer = setTimeout(() => void runRound(), this.#lifetimeMs / 6)
    }
    this.#timer = setTimeout(() => void runRound(), this.#lifetimeMs / 6)
  }

  /** Registers as a new owner. Concurrent callers share one registration. */
  join(): Promise<void> {
    this.#joining ??= this.#join().finally(() => {
      this.#joining = null
    })
    return this.#joining
  }

  /** Registers again, unless that has been done since `owner` was found to be swept. */
  async rejoin(owner: string): Promise<void> {
    if (owner === this.#owner) await this.join()
  }

  /** Stops beating and releases all leases. */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#lastHeartbeatMs = Number.NEGATIVE_INFINITY
    await this.#store.release(this.#owner)
  }

  /** Sends one heartbeat. A failure is not an error yet: mayAdmit() turns false by itself in time. */
  async sendHeartbeat(): Promise<void> {
    const sentAt = this.#ticks()
    const owner = this.#owner
    try {
      const answer = await this.#store.heartbeat(owner)
      if (this.#stopped) return
      if (!answer) {
        this.#log.warn({ owner }, 'this process was swept; it continues with new leases')
        return await this.rejoin(owner)
      }
      this.#lastHeartbeatMs = sentAt
      if (this.#timeline !== null && this.#timeline !== answer.timeline) await this.#failOver()
      this.#timeline = answer.timeline
      for (const purseId of answer.recalled) this.#events.onRecall(purseId)
      this.#events.onHeartbeat(sentAt)
    } catch (error) {
      this.#log.warn({ error: String(error) }, 'a heartbeat did not reach the database')
    }
  }

  /** Releases what dead processes hold. */
  async sweep(): Promise<void> {
    try {
      for (;;) {
        const swept = await this.#store.sweepDeadProcess(this.#lifetimeMs)
        if (swept === null) return
        this.#log.info({ swept }, 'returned the leases of a process whose heartbeat stopped')
      }
    } catch (error) {
      this.#log.warn({ error: String(error) }, 'sweeping waits for the database')
    }
  }

  async #join(): Promise<void> {
    const sentAt = this.#ticks()
    const owner = this.#newOwner()
    await this.#store.register(owner, this.#lifetimeMs)
    this.#owner = owner
    this.#lastHeartbeatMs = sentAt
    this.#events.onRestart(owner)
  }

  async #failOver(): Promise<void> {
    this.#log.warn({}, 'the database changed its timeline; leases are dropped and the last minute is posted again')
    const old = this.#owner
    await this.join()
    await this.#store.release(old)
    await this.#events.onFailover()
  }
}
