/** The largest share of a cap that thoughts may take, so that the answer has room after them. */
const MAX_SHARE = 0.8

/** The smallest budget for thinking that Claude accepts, wherever it runs (Anthropic, "Extended thinking"). */
export const MIN_CLAUDE_BUDGET_TOKENS = 1024

/** The largest budget for thinking, in tokens, under a cap of all output tokens. */
export const maxThinkingTokens = (cap: number): number => Math.floor(cap * MAX_SHARE)
