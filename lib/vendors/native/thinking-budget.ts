import type { Fields } from '../vendor.ts'

/** Models of Alibaba's that think unless they are told not to. */
const THINKS = /^(qwq|qvq)|thinking|deepseek-r1|^qwen3-\d|^qwen3\.\d/

/** Thoughts do not count against the cap there, and go on for as long as they like: they get this share of it. */
const SHARE = 0.5

const thinks = ({ enable_thinking: asked, model }: Fields): boolean =>
  asked === true || (asked !== false && typeof model === 'string' && THINKS.test(model))

/** Divides a chat's cap among thoughts and answer, which Alibaba counts apart (Model Studio, "Deep thinking"). */
export function fitThoughts(outgoing: Fields, cap: number): Fields {
  const { thinking_budget: asked, ...rest } = outgoing
  if (!thinks(outgoing) || cap < 2) return rest
  const most = Math.floor(cap * SHARE)
  const budget = typeof asked === 'number' && asked >= 0 ? Math.min(asked, most) : most
  return { ...rest, thinking_budget: budget, max_tokens: cap - budget }
}

/** Output tokens beside the cap of the answer. */
export const besideThoughts = ({ thinking_budget: budget }: Fields): number => (typeof budget === 'number' ? budget : 0)
