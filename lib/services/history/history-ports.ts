/** The interfaces that the history verbs need. Money is bigint nano-dollars, times are Date. */
import type { TimedId } from '#lib/contracts/cursor'
import type { StoredResponse } from '../../domain/stored-response.ts'

/** Filters for a list of requests. Null, and an empty list of models, match everything. */
export interface RequestFilter {
  /** Times of requests, from `from` (inclusive) to `to` (exclusive). */
  from: Date | null
  to: Date | null
  models: string[]
  keyId: string | null
  status: 'ok' | 'error' | null
  errorCode: string | null
  endpoint: string | null
  stream: boolean | null
  minNano: bigint | null
  minTookMs: number | null
  search: { in: 'id' | 'record' | 'messages'; text: string } | null
}

/** Counts of one time span, which begins at `at`. */
export interface Bucket {
  at: Date
  requests: number
  errors: number
}

export interface ChartSums {
  /** Time spans with at least one request, in any order. */
  buckets: Bucket[]
  /** Requests before this time were too many to count; null if all were counted. */
  countedFrom: Date | null
}

export interface Charts {
  /** Counts the account's requests from `from` (inclusive) to `to` (exclusive), both whole numbers of buckets since 1970. */
  count(accountId: string, filter: RequestFilter, from: Date, to: Date, bucketMs: number): Promise<ChartSums>
  /** The hour of the account's first request; null if there is none yet. */
  firstHour(accountId: string): Promise<Date | null>
}

export interface ViewRecord {
  id: string
  name: string
  query: string
}

export interface Views {
  /** Ordered by name. */
  list(userId: string): Promise<ViewRecord[]>
  /** Returns false if the user already has `maxViews` views. */
  create(userId: string, view: ViewRecord & { at: Date }, maxViews: number): Promise<boolean>
  /** Returns false if the user has no such view. */
  change(userId: string, view: ViewRecord): Promise<boolean>
  /** Returns false if the user has no such view. */
  remove(userId: string, viewId: string): Promise<boolean>
}

/** The content of requests, apart from what they cost. */
export interface Histories {
  settings(accountId: string): Promise<{ enabled: boolean; days: number }>
  /** Sets both, notifies every process in the same transaction, and deletes what is older than the number of days. */
  setSettings(accountId: string, settings: { enabled: boolean; days: number }): Promise<void>
  /** Deletes the content of one request, now or when it is written. Returns the addresses of files that were made. */
  remove(accountId: string, request: { id: string; at: Date }): Promise<string[]>
  /** The newest stored response before `before`, including one that is only kept for a later one; null after the oldest. */
  nextResponse(accountId: string, before: TimedId | null): Promise<StoredResponse | null>
  /** Deletes the content of all requests that began up to now. */
  clear(accountId: string): Promise<{ requests: number; files: string[] }>
}

/** Files that models made. */
export interface Media {
  /** Removes the files that our signed addresses name; other addresses are ignored. Returns how many could not be removed. */
  remove(fileUrls: string[]): Promise<number>
}
