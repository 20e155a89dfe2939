/** The id under which the answer to a request can be retrieved and continued. It has the number of the request. */
export const responseIdOf = (requestId: string): string => requestId.replace(/^req_/, 'resp_')

/** The id of the request that a response answers. */
export const requestIdOf = (responseId: string): string => responseId.replace(/^resp_/, 'req_')

/** What is stored of an answer of POST /v1/responses, so that it can be retrieved and continued. */
export interface StoredResponse {
  id: string
  accountId: string
  /** The response that it continues, or null if it begins a conversation. */
  previousId: string | null
  /** When its request arrived. */
  at: Date
  /** The response as it was sent, except for its cost. */
  response: Record<string, unknown>
  /** The input items of its own request, without those of earlier responses. */
  input: readonly unknown[]
}

/** A stored response, and what its usage record says about it. */
export interface FoundResponse extends StoredResponse {
  /** Null if no usage record is left. Token counts are those of the record. */
  paid: { chargedNano: bigint; input: bigint; cachedInput: bigint; output: bigint; reasoning: bigint } | null
}

/** Why a conversation cannot be continued: it does not exist, an earlier part of it was deleted, or it is too large. */
export type ChainError = 'unknown' | 'broken' | 'too_large'

/** A conversation: its responses, oldest first, and their size as JSON. */
export interface ResponseChain {
  responses: readonly StoredResponse[]
  bytes: number
}

/** Where responses are stored. Every call is for one account; ids of other accounts count as unknown. */
export interface ResponseStore {
  save(item: StoredResponse): Promise<void>
  find(accountId: string, id: string): Promise<FoundResponse | null>
  /** Returns the response and everything that it continues. */
  findChain(accountId: string, id: string): Promise<ResponseChain | ChainError>
  /** Returns false if there was none. */
  remove(accountId: string, id: string): Promise<boolean>
}
