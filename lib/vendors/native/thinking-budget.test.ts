import { expect, it } from 'vitest'
import { extraThoughtTokens, fitThoughts } from './thinking-budget.ts'

const CAP = 100_000

it.each([
  [{ reasoning_effort: 'minimal' }, 4096],
  [{ reasoning_effort: 'low' }, 4096],
  [{ reasoning_effort: 'medium' }, 16_384],
  [{ reasoning_effort: 'xhigh' }, CAP / 2],
  // A property name that every object has is not an effort.
  [{ reasoning_effort: 'constructor' }, CAP / 2],
  [{}, CAP / 2],
  // A budget in tokens takes precedence over an effort.
  [{ reasoning_effort: 'low', thinking_budget: 9000 }, 9000],
])('%j is a budget of %d tokens, which the answer does not get', (asked, budget) => {
  const outgoing = fitThoughts({ model: 'qwen3.8-max', ...asked }, CAP)
  expect(outgoing).toEqual({ model: 'qwen3.8-max', thinking_budget: budget, max_tokens: CAP - budget })
  expect(extraThoughtTokens(outgoing)).toBe(budget)
})
