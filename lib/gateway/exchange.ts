import type { Caller, Deployment } from '../domain/catalog.ts'
import { Refusal } from '../domain/errors.ts'
import { type ModelPrice, priceUsage, type Receipt } from '../domain/price.ts'
import type { Attempt, Settlement, SettlementResult } from '../domain/settlement.ts'
import { type Certainty, NO_USAGE, tokensIn, tokensOut, type Usage } from '../domain/usage.ts'
import type { Authenticated } from './authenticate.ts'
import { countTraffic } from './count-traffic.ts'
import type { Ending } from './ending.ts'
import { deferHistoryJson, type HistoryRequest } from './history-json.ts'
import { KeyMinute } from './key-minute.ts'
import type { CountedCall } from './limits/ports.ts'
import type { GatewayPorts, HoldPort } from './ports.ts'
import type { Received } from './receive.ts'
import { RequestResources } from './request-resources.ts'
import { RequestTime } from './request-time.ts'
import { toStorable, toStorableError, toStorableTrace } from './storable.ts'

/** How often clients that retry by themselves should try again. */
const MAINTENANCE_RETRY_S = 30

/**
 * Everything that one request takes and must give back: its place among the key's requests, its hold, its claim on an
 * idempotency key, and the files that came with it. It ends exactly once, and its end is its usage record.
 */
export class Exchange {
  readonly received: Received
  readonly #endpoint: string
  readonly #ports: GatewayPorts
  #from: Authenticated | null = null
  #model = ''
  #price: ModelPrice | null = null
  #historyRequest: (() => HistoryRequest) | null = null
  #historyRequestBytes = 0
  #stream = false
  #hold: HoldPort | null = null
  #claim: string | null = null
  #ended = false
  /** What it gives back at its end. */
  readonly resources: RequestResources
  /** What it takes from its key's minute. */
  readonly minute: KeyMinute
  /** What the last call took from its deployment's minute. */
  countedCall: CountedCall | null = null
  readonly trace: Attempt[] = []
  readonly time: RequestTime
  /** The request was sent to the vendor that was called last. */
  sentToVendor = false
  /** The client of a stream disconnected, and the call to the vendor was ended because of that. */
  clientGone = false
  /** The process is ending and has no time to wait for this request. `onStop` ends what the request itself waits for. */
  stopped = false
  onStop: (() => void) | null = null

  constructor(received: Received, endpoint: string, ports: GatewayPorts) {
    this.received = received
    this.#endpoint = endpoint
    this.#ports = ports
    this.resources = new RequestResources(received.id, ports)
    this.minute = new KeyMinute(ports)
    this.time = new RequestTime(received.startedMs, ports.ticks)
  }

  /** The sender of the request, once known. */
  get from(): Authenticated | null {
    return this.#from
  }

  get ended(): boolean {
    return this.#ended
  }

  get idempotent(): boolean {
    return this.#claim !== null
  }

  /** Throws 503 during maintenance, and if this process is overloaded. */
  begin(kind: 'read' | 'paid'): void {
    if (this.#ports.settings.maintenance)
      throw new Refusal('maintenance', 'The gateway is closed for maintenance. Nothing was charged. Try again later.', {
        retryAfter: MAINTENANCE_RETRY_S,
      })
    this.resources.enter(kind, () => {
      this.stopped = true
      this.onStop?.()
    })
  }

  /** Set once the sender is known: before that there is no account to record for. */
  setSender(from: Authenticated): void {
    this.#from = from
  }

  setModel(model: string, stream: boolean): void {
    this.#model = toStorable(model, 200)
    this.#stream = stream
  }

  /** Set once the request has been read: what history keeps of it, and roughly how many bytes that holds. */
  setHistoryRequest(historyRequest: () => HistoryRequest, bytes: number): void {
    this.#historyRequest = historyRequest
    this.#historyRequestBytes = bytes
  }

  pinPrice(price: ModelPrice): void {
    this.#price = price
  }

  /** Takes a place among its key's and account's requests. Null if that was done at once, without asking other processes. */
  enter(caller: Pick<Caller, 'accountId' | 'keyId'>): Promise<void> | null {
    const leave = this.#ports.enterCaller(caller)
    if ('then' in leave) return leave.then((own) => this.resources.setSlot(own))
    this.resources.setSlot(leave)
    return null
  }

  setHold(hold: HoldPort): void {
    this.#hold = hold
  }

  setClaim(key: string): void {
    this.#claim = key
  }

  recordVendorCall(atMs: number, deployment: Deployment): void {
    this.sentToVendor = false
    this.time.recordVendorCall(atMs, deployment)
  }

  readonly markSent = (): void => {
    this.sentToVendor = true
  }

  /** A repeat was answered from the store, or models were looked up: it gives its place back, and has no record of its own. */
  endUnrecorded(): this {
    this.#ended = true
    this.minute.correct(0)
    this.resources.release()
    return this
  }

  /** From now on its place, its hold, its claim and its record belong to a task. */
  detach(): void {
    this.#ended = true
    this.minute.correct(0)
    this.#historyRequest = null
  }

  /** The amount that is held for it. */
  get hold(): HoldPort | null {
    return this.#hold
  }

  get claim(): string | null {
    return this.#claim
  }

  /** Prices a usage at the pinned price. */
  receipt(usage: Usage, certainty: Certainty): Receipt {
    const group = this.#from?.group
    if (!this.#price || !group) throw new Error('a receipt needs a pinned price')
    return priceUsage(usage, this.#price, { name: group.name, multiplierBp: group.multiplierBp }, certainty)
  }

  /**
   * Ends the exchange: resolves when its charge is durable, and its Idempotency-Key is free if no answer is kept for it.
   * Rejects if the database never takes the charge. A second end is a mistake of the caller and returns null.
   */
  async end(ending: Ending): Promise<SettlementResult | null> {
    if (this.#ended) return null
    this.#ended = true
    this.resources.removeFiles()
    const from = this.#from
    if (!from) {
      this.resources.release()
      return null
    }
    let spent = 0n
    let answered = false
    try {
      const settlement = this.#settlement(from, ending)
      this.#correctCounts(ending.usage)
      this.#saveHistory(from, ending)
      this.#observe(settlement)
      const total = settlement.receipt?.total ?? 0n
      // A request that costs nothing is answered before it is recorded: its money and its place are free again at once.
      if (total === 0n) {
        this.#hold?.end(0n)
        this.resources.release()
      }
      const settled = await this.#settle(settlement)
      // What the database took of the hold. Nothing, if another request has this one's Idempotency-Key by now.
      spent = settled.charged + settled.shortfall
      answered = settlement.answer !== null
      if (settled.shortfall > 0n)
        this.#ports.log.error(
          { request: settled.id, shortfallNano: String(settled.shortfall) },
          'a vendor used more than its hold; the operator pays the rest',
        )
      return settled
    } finally {
      this.#hold?.end(spent)
      this.resources.release()
      if (this.#claim !== null && !answered) await this.#releaseClaim(from.caller.accountId, this.#claim)
    }
  }

  /** Posts the settlement, and counts it as traffic whether or not the database takes it. */
  async #settle(settlement: Settlement): Promise<SettlementResult> {
    const { calls } = this.time
    let settled: SettlementResult | null = null
    try {
      settled = await this.#ports.settle(settlement)
      return settled
    } finally {
      countTraffic({ item: settlement, settled, calls, headers: this.received.request.headers }, this.#ports)
    }
  }

  /** Makes sure that an answer that is refused is not paid for: whatever its first posting charged is returned. */
  async voidCharge(ending: Ending): Promise<void> {
    const from = this.#from
    if (!from) return
    const settlement = this.#settlement(from, { ...ending, outcome: 'undelivered', answer: null })
    await this.#ports.postVoid({ ...settlement, void: true })
  }

  #settlement(from: Authenticated, ending: Ending): Settlement {
    const charged = ending.usage !== NO_USAGE && this.#price !== null
    const { received } = this
    return {
      id: received.id,
      at: received.at,
      accountId: from.caller.accountId,
      keyId: from.caller.keyId,
      groupId: from.group.id,
      modelId: this.#model,
      endpoint: this.#endpoint,
      stream: this.#stream,
      status: ending.status,
      outcome: ending.outcome,
      errorCode: ending.errorCode ?? null,
      errorText: toStorableError(ending.errorText),
      finishReason: ending.finishReason == null ? null : toStorable(ending.finishReason, 64),
      usage: ending.usage,
      holdNano: this.#hold?.amount ?? 0n,
      receipt: charged ? (ending.receipt ?? this.receipt(ending.usage, ending.certainty)) : null,
      trace: toStorableTrace(this.trace),
      ...this.time.durations,
      leaseId: this.#hold?.leaseId ?? null,
      budgets: this.#hold?.budgets ?? [],
      budgetLeases: this.#hold?.budgetLeases ?? [],
      void: false,
      answer: ending.answer && this.#claim !== null ? { key: this.#claim, ...ending.answer } : null,
    }
  }

  /** Keeps every request that could be read in history, refused ones too, unless its account or key keeps none. */
  #saveHistory({ caller }: Authenticated, { toAnswerJson, usage }: Ending): void {
    const historyRequest = this.#historyRequest
    // A settlement may have to wait for the database, but must not keep a large request in memory meanwhile.
    this.#historyRequest = null
    if (historyRequest === null || !caller.keepHistory) return
    const bytes = this.#historyRequestBytes + Number(usage.output) * BYTES_PER_TOKEN
    const { id, at } = this.received
    this.#ports.history.save(id, at, caller.accountId, bytes, deferHistoryJson(historyRequest(), toAnswerJson ?? null))
  }

  #correctCounts(usage: Usage): void {
    const used = Number(tokensIn(usage) + tokensOut(usage))
    this.countedCall?.correctTokens(used)
    this.minute.correct(used)
  }

  async #releaseClaim(accountId: string, key: string): Promise<void> {
    await this.#ports.idempotency
      .release(accountId, key, this.received.id)
      .catch((error: unknown) =>
        this.#ports.log.warn(
          { request: this.received.id, error: String(error) },
          'an idempotency key stays claimed until its process exits',
        ),
      )
  }

  #observe(item: Settlement): void {
    this.#ports.observe({
      endpoint: item.endpoint,
      model: item.modelId,
      status: item.status,
      outcome: item.outcome,
      tookMs: item.tookMs,
      ownMs: item.ownMs,
      firstTokenMs: item.firstTokenMs,
    })
  }
}

/** Roughly what an answer takes in memory until its history is written. */
const BYTES_PER_TOKEN = 8
