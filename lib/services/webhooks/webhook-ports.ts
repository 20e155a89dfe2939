/** The interfaces that webhooks need. Times are Date. */
import type { TimedId } from '#lib/contracts/cursor'
import type { CreateWebhookInput, WebhookRow } from '#lib/contracts/webhooks'

export interface WebhookRecord {
  id: string
  url: string
  description: string
  events: string[]
  enabled: boolean
  disabledReason: NonNullable<WebhookRow['disabledReason']> | null
  failingSince: Date | null
  oldSecretUntil: Date | null
  createdAt: Date
}

export interface NewWebhook extends CreateWebhookInput {
  id: string
  accountId: string
  secret: string
  at: Date
}

export interface AttemptRecord {
  number: number
  at: Date
  tookMs: number
  status: number | null
  error: string | null
  answer: string
}

export interface DeliveryRecord {
  id: string
  eventId: string
  type: string
  state: 'pending' | 'delivered' | 'failed' | 'dropped'
  createdAt: Date
  nextAt: Date | null
  body: string
  attempts: AttemptRecord[]
}

export type WebhookChanges = Partial<Pick<NewWebhook, 'url' | 'description' | 'events'> & { enabled: boolean }>

/** Endpoints and their deliveries. Every method finds only those of the given account. */
export interface Webhooks {
  /** Returns false if the account already has `maxEndpoints`. */
  create(webhook: NewWebhook, maxEndpoints: number): Promise<boolean>
  list(accountId: string): Promise<WebhookRecord[]>
  find(accountId: string, id: string): Promise<WebhookRecord | null>
  /** Returns null if there is none. Switching off drops pending deliveries; switching on clears the failures. */
  update(accountId: string, id: string, changes: WebhookChanges): Promise<WebhookRecord | null>
  /** Returns false if there is none. Also removes its deliveries. */
  remove(accountId: string, id: string): Promise<boolean>
  /** Makes `secret` the signing secret, beside the old one until `oldUntil`. Returns null if there is none. */
  rotate(accountId: string, id: string, secret: string, oldUntil: Date): Promise<WebhookRecord | null>
  /** The newest `rows` deliveries of an endpoint before `before`. */
  deliveries(accountId: string, id: string, before: TimedId | null, rows: number): Promise<DeliveryRecord[]>
  /** Sends the event of a delivery to its endpoint again. Returns null if there is none, and false if its endpoint is off. */
  resend(accountId: string, deliveryId: string): Promise<boolean | null>
  /**
   * Sends an event to the account's endpoints that want it, or to the named one, once per `source`. Returns the number of
   * endpoints.
   */
  emit(event: WebhookEvent, onlyEndpoint?: string): Promise<number>
}

export interface WebhookEvent {
  accountId: string
  type: string
  /** Unique among the account's events of this type. */
  source: string
  /** Ids, and money as decimal strings. */
  data: Record<string, unknown>
}

export interface WebhookSecrets {
  /** `whsec_` and 32 random bytes in base64. */
  create(): string
}

/** A delivery that is due. */
export interface DueDelivery {
  id: string
  eventId: string
  body: string
  url: string
  /** The signing secrets, the current one first. */
  secrets: string[]
  /** Attempts before this one. */
  attempts: number
  accountId: string
  endpointId: string
  /** Its endpoint has recently been slow to answer. */
  slow: boolean
}

/**
 * The outcome of an attempt. `retryMs`: milliseconds until the retry; null if there is none. `slowMs`: how long its endpoint
 * counts as slow; null if it was quick.
 */
export interface DeliveryOutcome {
  attempt: AttemptRecord
  delivered: boolean
  retryMs: number | null
  slowMs: number | null
  /** The endpoint reported that it is permanently gone. */
  gone: boolean
}

export interface WebhookQueue {
  /** Returns null if there is nothing left to deliver. A delivery whose endpoint is off is ended by this call. */
  findDue(deliveryId: string): Promise<DueDelivery | null>
  /** Moves a delivery to a slow endpoint to the slots for slow ones. */
  moveToSlow(deliveryId: string): Promise<void>
  /**
   * Records an attempt and what follows. If this switched the endpoint off, returns why: it is gone, or has failed for
   * `failingMs`.
   */
  recordAttempt(delivery: DueDelivery, tried: DeliveryOutcome, failingMs: number): Promise<'failing' | 'gone' | null>
  /** Gives deliveries that have lost their job a new one. Returns how many. */
  requeueLost(): Promise<number>
  /** Deletes events older than this. */
  sweep(before: Date): Promise<number>
}

export interface PostResponse {
  status: number
  /** The first kilobyte. */
  text: string
}

/** Posts to addresses that users have entered. Rejects with a short reason if there was no answer. */
export interface WebhookPost {
  post(url: string, headers: Record<string, string>, body: string): Promise<PostResponse>
}
