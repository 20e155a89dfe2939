/** What the verbs of the history need from the world. Money is bigint nano-dollars, times are Date. */
import type { TimedId } from '#lib/contracts/cursor'
import type { StoredResponse } from '../../domain/stored-response.ts'

/** What a list of requests is narrowed to. Null, and an empty list of models, let everything through. */
export interface RequestFilter {
  /** Times of requests, `from` up to below `to`. */
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

/** Counts of one stretch of time, which begins at `at`. */
export interface Bucket {
  at: Date
  requests: number
  errors: number
}

export interface ChartSums {
  /** Stretches with at least one request, in any order. */
  buckets: Bucket[]
  /** Those before it were too many to look at; null where all were counted. */
  countedFrom: Date | null
}

export interface Charts {
  /** Counts of the account's requests from `from` to below `to`, both whole numbers of buckets since 1970. */
  count(accountId: string, filter: RequestFilter, from: Date, to: Date, bucketMs: number): Promise<ChartSums>
  /** The hour of the account's first request; null before it. */
  firstHour(accountId: string): Promise<Date | null>
}

export interface ViewRecord {
  id: string
  name: string
  query: string
}

export interface Views {
  /** By name. */
  list(userId: string): Promise<ViewRecord[]>
  /** False where the user has `most` views already. */
  create(userId: string, view: ViewRecord & { at: Date }, most: number): Promise<boolean>
  /** False where the user has no such view. */
  change(userId: string, view: ViewRecord): Promise<boolean>
  /** False where the user has no such view. */
  remove(userId: string, viewId: string): Promise<boolean>
}

/** What was said in requests, apart from what they cost. */
export interface Histories {
  settings(accountId: string): Promise<{ enabled: boolean; days: number }>
  /** Sets both, tells every process in the same transaction, and deletes what is older than the days. */
  setSettings(accountId: string, settings: { enabled: boolean; days: number }): Promise<void>
  /** Deletes what was said in one request, now or when it is written; answers addresses of files that were made. */
  remove(accountId: string, request: { id: string; at: Date }): Promise<string[]>
  /** The newest stored response below `before`, be it one that is only kept for a later one; null after the oldest. */
  nextResponse(accountId: string, before: TimedId | null): Promise<StoredResponse | null>
  /** Deletes everything that was said in requests that began up to now. */
  clear(accountId: string): Promise<{ requests: number; files: string[] }>
}

/** Files that models made. */
export interface Media {
  /** Removes those that signed addresses of ours name; other addresses are left alone. Answers how many it could not remove. */
  remove(addresses: string[]): Promise<number>
}
