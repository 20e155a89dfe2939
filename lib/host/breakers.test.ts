import { expect, it, vi } from 'vitest'
import type { BreakerChange, BreakerState } from '../gateway/breaker.ts'
import { notifyInOrder } from './breakers.ts'

const change = (deployment: string, state: BreakerState): BreakerChange => ({ deployment, state, waitMs: 0, failure: null })

it('tells one after the other, and of each deployment at last how it stands', async () => {
  const told: string[] = []
  let inside = 0
  const tell = notifyInOrder(
    async ({ deployment, state }) => {
      expect(++inside).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 1))
      inside--
      told.push(`${deployment} ${state}`)
    },
    () => undefined,
  )
  for (const state of ['open', 'half_open', 'closed'] as const) for (const id of ['a', 'b']) tell(change(id, state))
  await vi.waitFor(() => expect(told).toContain('b closed'))
  expect(told).toEqual(['a open', 'b closed', 'a closed'])
})

it('what could not be told is told later, unless something newer is', async () => {
  vi.useFakeTimers()
  const told: string[] = []
  const failed = vi.fn()
  let away = true
  const tell = notifyInOrder(async ({ state }) => {
    if (away) throw new Error('away')
    told.push(state)
  }, failed)
  tell(change('a', 'open'))
  await vi.advanceTimersByTimeAsync(1500)
  expect(failed).toHaveBeenCalledTimes(2)
  tell(change('a', 'half_open'))
  away = false
  await vi.advanceTimersByTimeAsync(1000)
  expect(told).toEqual(['half_open'])
  vi.useRealTimers()
})
