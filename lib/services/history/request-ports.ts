import type { RequestFilter } from './history-ports.ts'

export interface RequestRecord {
  id: string
  at: Date
  modelId: string
  keyId: string
  keyName: string
  endpoint: string
  stream: boolean
  status: number
  outcome: string
  errorCode: string | null
  inputUnits: bigint
  outputUnits: bigint
  tookMs: number
  chargedNano: bigint
  /** As it was stored. Lists have it only of requests that count no tokens. */
  receipt: unknown
}

export interface RequestRecordWhole extends RequestRecord {
  groupName: string
  errorText: string | null
  finishReason: string | null
  cachedUnits: bigint
  reasoningUnits: bigint
  holdNano: bigint
  shortfallNano: bigint
  estimated: boolean
  trace: unknown
  ownMs: number
  firstTokenMs: number | null
}

/** A part of a list. */
export interface RequestScan {
  records: RequestRecord[]
  /** The id below which nothing was looked at yet, though more may fit; null where everything was looked at, or enough found. */
  lookedTo: string | null
}

export interface Requests {
  /**
   * The newest `rows` that fit, below `before` where it is given. So much is looked at and no more: where few fit, fewer
   * come, and `lookedTo` says where to go on.
   */
  page(accountId: string, filter: RequestFilter, before: string | null, rows: number): Promise<RequestScan>
  find(accountId: string, requestId: string): Promise<RequestRecordWhole | null>
  /** What was said, as it was stored. Null where nothing is kept; `deleted` where its account did not want it any more. */
  history(accountId: string, requestId: string): Promise<{ said: unknown } | 'deleted' | null>
}
