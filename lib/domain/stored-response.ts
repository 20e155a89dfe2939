/** What is kept of an answer of POST /v1/responses, so that it can be looked up and continued. */
export interface StoredResponse {
  id: string
  accountId: string
  /** The response that it continues; null where it begins a conversation. */
  previousId: string | null
  /** When its request came. */
  at: Date
  /** The response as it was answered, but for what it cost. */
  response: Record<string, unknown>
  /** The items that its own request brought, without those of earlier responses. */
  input: readonly unknown[]
}

/** A stored response, and what its usage record says of it. */
export interface FoundResponse extends StoredResponse {
  /** Null where no usage record is left. Token counts are as the record has them. */
  paid: { chargedNano: bigint; input: bigint; cachedInput: bigint; output: bigint; reasoning: bigint } | null
}

/** Why a conversation cannot be continued: it is not there, an earlier part of it was deleted, or it is too large. */
export type LostChain = 'unknown' | 'broken' | 'too_large'

/** A conversation: its responses, oldest first, and their size as JSON. */
export interface ResponseChain {
  responses: readonly StoredResponse[]
  bytes: number
}

/** Where responses are kept. Everything is of one account; other accounts' ids are as unknown as none. */
export interface ResponseShelf {
  keep(item: StoredResponse): Promise<void>
  find(accountId: string, id: string): Promise<FoundResponse | null>
  /** The response and all that it continues. */
  chain(accountId: string, id: string): Promise<ResponseChain | LostChain>
  /** False where there was none. */
  remove(accountId: string, id: string): Promise<boolean>
}
