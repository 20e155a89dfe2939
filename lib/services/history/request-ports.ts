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
  errorText: string | null
  inputUnits: bigint
  outputUnits: bigint
  tookMs: number
  chargedNano: bigint
  /** The receipt as stored. Lists have it only for requests that count no tokens. */
  receipt: unknown
}

export interface RequestDetailRecord extends RequestRecord {
  groupName: string
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
  /** The id below which nothing was searched yet, though more may match; null if everything was searched or enough was found. */
  lookedTo: string | null
}

export interface Requests {
  /**
   * The newest `rows` that match, before `before` if it is given. The search is bounded: if few match, fewer are returned, and
   * `lookedTo` says where to continue.
   */
  page(accountId: string, filter: RequestFilter, before: string | null, rows: number): Promise<RequestScan>
  find(accountId: string, requestId: string): Promise<RequestDetailRecord | null>
  /** The content, as it was stored. Null if nothing is kept; `deleted` if the account deleted it. */
  history(accountId: string, requestId: string): Promise<{ content: unknown } | 'deleted' | null>
}
