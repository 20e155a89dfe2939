import type { Fields } from '../vendor.ts'

/** Alibaba's models that always think, and those that think unless they are told not to (Model Studio, "Deep thinking"). */
const ALWAYS_THINKS = /^(qwq|qvq)|thinking|deepseek-r1/
const THINKS_BY_DEFAULT = /^glm-|^qwen3-\d(?!.*instruct)|^qwen3\.\d/

/** The share of the cap for thoughts. At Alibaba they do not count against the cap, and have no limit by default. */
const THINKING_SHARE = 0.5

/** The tokens of each effort at Alibaba. Higher efforts are not listed: they get the whole share. */
const EFFORTS: ReadonlyMap<unknown, number> = new Map([
  ['minimal', 4096],
  ['low', 4096],
  ['medium', 16_384],
])

const isModel = (models: RegExp, { model }: Fields): boolean => typeof model === 'string' && models.test(model)

const thinks = (outgoing: Fields): boolean =>
  outgoing.enable_thinking === true ||
  (outgoing.enable_thinking !== false && (isModel(ALWAYS_THINKS, outgoing) || isModel(THINKS_BY_DEFAULT, outgoing)))

/**
 * Divides a chat's cap between thoughts and answer, which Alibaba counts separately (Model Studio, "Deep thinking"). An effort
 * becomes part of the budget, because Alibaba refuses a budget together with an effort.
 */
export function fitThoughts(outgoing: Fields, cap: number): Fields {
  const { thinking_budget: requestedBudget, ...rest } = outgoing
  if (!thinks(outgoing) || cap < 2) return rest
  const { reasoning_effort: effort, ...free } = rest
  if (effort === 'none' && !isModel(ALWAYS_THINKS, outgoing)) return { ...free, enable_thinking: false }
  const wanted =
    typeof requestedBudget === 'number' && requestedBudget >= 0
      ? requestedBudget
      : (EFFORTS.get(effort) ?? Number.POSITIVE_INFINITY)
  const budget = Math.min(wanted, Math.floor(cap * THINKING_SHARE))
  return { ...free, thinking_budget: budget, max_tokens: cap - budget }
}

/** The output tokens in addition to the cap of the answer. */
export const extraThoughtTokens = ({ thinking_budget: budget }: Fields): number => (typeof budget === 'number' ? budget : 0)
