/**
 * What was used, in units that never overlap: `input` excludes what came from or went into a cache.
 * `reasoning` is a part of `output`, reported and, where a price names it, priced apart.
 */
export interface Usage {
  input: bigint
  cachedInput: bigint
  cacheWrite: bigint
  output: bigint
  reasoning: bigint
  requests: bigint
}

/** The names under which a price lists its units. */
export type Unit = 'input' | 'cached_input' | 'cache_write' | 'output' | 'reasoning' | 'request'

export const NO_USAGE: Usage = { input: 0n, cachedInput: 0n, cacheWrite: 0n, output: 0n, reasoning: 0n, requests: 0n }

/** How sure the counts are: `why` says what made an estimate necessary. */
export type Certainty = { exact: true } | { exact: false; why: string }
