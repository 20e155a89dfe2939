/** The interfaces that the usage verbs need. Money is bigint nano-dollars, times are Date. */

export interface UsageAmounts {
  chargedNano: bigint
  tokens: bigint
  requests: bigint
  errors: bigint
}

/** Null matches everything. */
export interface UsageFilter {
  model: string | null
  keyId: string | null
  modality: string | null
}

/** Whole UTC hours, from `from` (inclusive) to `to` (exclusive). */
export interface UsageSpan {
  from: Date
  to: Date
}

export type UsageUnit = 'hour' | 'day' | 'month'

/** What one group used in one unit of time, which starts at `at`. */
export interface UsageCell extends UsageAmounts {
  at: Date
  group: string
}

export interface UsageReports {
  /** Usage by unit of time and group. A model's modality is '' if the catalog does not know the model. */
  cells(
    accountId: string,
    span: UsageSpan,
    unit: UsageUnit,
    by: 'model' | 'key' | 'modality',
    filter: UsageFilter,
  ): Promise<UsageCell[]>
  sums(accountId: string, span: UsageSpan, unit: UsageUnit, filter: UsageFilter): Promise<UsageAmounts>
  /** Names of an account's keys, by id. */
  keyNames(accountId: string): Promise<Map<string, string>>
}

/** The end of a page of hours. */
export interface HourCursor {
  hour: Date
  keyId: string
  model: string
}

/** What was used that is not counted in tokens, from receipts. Images of all sizes and qualities are added up. */
export interface PieceCounts {
  images: bigint
  characters: bigint
  audioSeconds: bigint
  videoSeconds: bigint
  /** Of a chat model's vendor. By the hour they are not counted: see `countHourPieces`. */
  webSearches: bigint
}

export interface HourRow extends HourCursor, PieceCounts {
  modality: string
  requests: bigint
  errors: bigint
  inputUnits: bigint
  cachedUnits: bigint
  outputUnits: bigint
  chargedNano: bigint
}

export interface RecordRow extends PieceCounts {
  id: string
  at: Date
  keyId: string
  model: string
  endpoint: string
  stream: boolean
  status: number
  outcome: string
  errorCode: string | null
  finishReason: string | null
  inputUnits: bigint
  cachedUnits: bigint
  outputUnits: bigint
  reasoningUnits: bigint
  chargedNano: bigint
  estimated: boolean
  firstTokenMs: number | null
  tookMs: number
  ownMs: number
}

/**
 * Usage for exports, oldest first, a page at a time. Each page is a short statement that begins where the previous one ended, so
 * a slow reader holds no connection, and no snapshot that would keep dead rows from being removed.
 */
export interface UsageExports {
  hours(accountId: string, span: UsageSpan, filter: UsageFilter, after: HourCursor | null, rows: number): Promise<HourRow[]>
  records(accountId: string, span: UsageSpan, filter: UsageFilter, afterId: string | null, rows: number): Promise<RecordRow[]>
}

/** Limits how many tasks of an account run at once. */
export interface Slots {
  /** Takes a slot. Returns a function that releases it, harmless if repeated, or null if all are taken. */
  acquire(accountId: string): (() => void) | null
}

export interface KeyUsage {
  requests: bigint
  spentNano: bigint
  spentMonthNano: bigint
}

/** The usage of one model on one UTC day. Times are sums of milliseconds, to be divided by their counts. */
export interface DayUsage {
  day: string
  model: string
  requests: bigint
  errors: bigint
  tokens: bigint
  chargedNano: bigint
  firstTokenMs: number
  firstTokens: bigint
  ownMs: number
}

export interface TimeSpan {
  from: Date
  to: Date
}

export interface OnboardingSteps {
  credited: boolean
  key: boolean
  call: boolean
  limit: boolean
}

export interface UsageSums {
  /** By key id, in total and since `monthStart`. */
  byKey(accountId: string, monthStart: Date): Promise<Map<string, KeyUsage>>
  /** The same for one key; undefined if it was never used. */
  ofKey(accountId: string, keyId: string, monthStart: Date): Promise<KeyUsage | undefined>
  /** From the hour of `from`, by day and then by model. */
  byDay(accountId: string, from: Date): Promise<DayUsage[]>
  /** Charges in the hours of each of two periods, from `from` (inclusive) to `to` (exclusive). */
  spent(accountId: string, periods: [TimeSpan, TimeSpan]): Promise<[bigint, bigint]>
  /** Median milliseconds to the first token over the newest `rows` requests since `from`; null if there are none. */
  firstTokenMedian(accountId: string, from: Date, rows: number): Promise<number | null>
  /** The first steps that an account has taken. */
  onboardingSteps(accountId: string): Promise<OnboardingSteps>
}
