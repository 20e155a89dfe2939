/** What webhooks need from the world. Times are Date. */
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

/** Endpoints and what was delivered to them. Every method finds an account's own alone. */
export interface Webhooks {
  /** False where the account has `most` of them already. */
  create(webhook: NewWebhook, most: number): Promise<boolean>
  list(accountId: string): Promise<WebhookRecord[]>
  find(accountId: string, id: string): Promise<WebhookRecord | null>
  /** Null where there is none. Switching off drops what is on its way; switching on forgets the failures. */
  update(accountId: string, id: string, changes: WebhookChanges): Promise<WebhookRecord | null>
  /** False where there is none. Its deliveries go with it. */
  remove(accountId: string, id: string): Promise<boolean>
  /** Makes `secret` the one that signs, beside the old one until then. Null where there is none. */
  rotate(accountId: string, id: string, secret: string, oldUntil: Date): Promise<WebhookRecord | null>
  /** The newest `rows` deliveries of an endpoint below `before`. */
  deliveries(accountId: string, id: string, before: TimedId | null, rows: number): Promise<DeliveryRecord[]>
  /** Sends the event of a delivery to its endpoint again. Null where there is none; false where its endpoint is off. */
  resend(accountId: string, deliveryId: string): Promise<boolean | null>
  /**
   * Tells an account's endpoints that want it, or the one that is named, of an event; once for each `source`. Answers how
   * many are told.
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
  /** `whsec_` and 32 random bytes in base 64. */
  create(): string
}

/** A delivery whose turn it is. */
export interface DueDelivery {
  id: string
  eventId: string
  body: string
  url: string
  /** That sign it: the present one first. */
  secrets: string[]
  /** Tries before this one. */
  attempts: number
  accountId: string
  endpointId: string
  /** Its endpoint has kept a delivery waiting lately. */
  slow: boolean
}

/**
 * What became of a try. `retryMs`: it is tried again in so long; null: it is at its end. `slowMs`: its endpoint counts as
 * slow for so long; null: it was quick.
 */
export interface Tried {
  attempt: AttemptRecord
  delivered: boolean
  retryMs: number | null
  slowMs: number | null
  /** The endpoint said that it is gone for good. */
  gone: boolean
}

export interface WebhookQueue {
  /** Null where there is nothing to deliver any more; one whose endpoint is off ends with that. */
  due(deliveryId: string): Promise<DueDelivery | null>
  /** Gives a delivery to a slow endpoint its place among the slow ones. */
  setAside(deliveryId: string): Promise<void>
  /**
   * Writes a try down, with what comes next. Answers why its endpoint was switched off by it, where it was: it is gone, or
   * has failed for `failingMs`.
   */
  tried(delivery: DueDelivery, tried: Tried, failingMs: number): Promise<'failing' | 'gone' | null>
  /** Gives deliveries a job again that have lost theirs. Answers how many. */
  revive(): Promise<number>
  /** Forgets events older than this. */
  sweep(before: Date): Promise<number>
}

export interface PostAnswer {
  status: number
  /** The first kilobyte. */
  text: string
}

/** Posts to addresses that others have named. Rejects with a short reason where there was no answer. */
export interface WebhookPost {
  post(url: string, headers: Record<string, string>, body: string): Promise<PostAnswer>
}
