import type { Fields } from '../vendor.ts'

/** Alibaba's models that always think, and those that think unless they are told not to (Model Studio, "Deep thinking"). */
const ALWAYS = /^(qwq|qvq)|thinking|deepseek-r1/
const UNLESS_TOLD = /^glm-|^qwen3-\d(?!.*instruct)|^qwen3\.\d/

/** The share of the cap for thoughts. At Alibaba they do not count against the cap, and have no limit by default. */
const SHARE = 0.5

/** The tokens of each effort at Alibaba. Higher efforts are not listed: they get the whole share. */
const EFFORTS: ReadonlyMap<unknown, number> = new Map([
  ['minimal', 4096],
  ['low', 4096],
  ['medium', 16_384],
])

const is = (models: RegExp, { model }: Fields): boolean => typeof model === 'string' && models.test(model)

const thinks = (outgoing: Fields): boolean =>
  outgoing.enable_thinking === true || (outgoing.enable_thinking !== false && (is(ALWAYS, outgoing) || is(UNLESS_TOLD, outgoing)))

/**
 * Divides a chat's cap between thoughts and answer, which Alibaba counts separately (Model Studio, "Deep thinking"). An effort
 * becomes part of the budget, because Alibaba refuses a budget together with an effort.
 */
export function fitThoughts(outgoing: Fields, cap: number): Fields {
  const { thinking_budget: asked, ...rest } = outgoing
  if (!thinks(outgoing) || cap < 2) return rest
  const { reasoning_effort: effort, ...free } = rest
  if (effort === 'none' && !is(ALWAYS, outgoing)) return { ...free, enable_thinking: false }
  const wanted = typeof asked === 'number' && asked >= 0 ? asked : (EFFORTS.get(effort) ?? Number.POSITIVE_INFINITY)
  const budget = Math.min(wanted, Math.floor(cap * SHARE))
  return { ...free, thinking_budget: budget, max_tokens: cap - budget }
}

/** The output tokens in addition to the cap of the answer. */
export const besideThoughts = ({ thinking_budget: budget }: Fields): number => (typeof budget === 'number' ? budget : 0)
