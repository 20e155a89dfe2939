import { expect, it, vi } from 'vitest'
import type { BreakerChange, BreakerState } from '../gateway/breaker.ts'
import { notifyInOrder } from './breakers.ts'

const change = (deployment: string, state: BreakerState): BreakerChange => ({ deployment, state, waitMs: 0, failure: null })

it('tells one after the other, and of each deployment at last how it stands', async () => {
  const notified: string[] = []
  let inside = 0
  const notify = notifyInOrder(
    async ({ deployment, state }) => {
      expect(++inside).toBe(1)
      await new Promise((resolve) => setTimeout(resolve, 1))
      inside--
      notified.push(`${deployment} ${state}`)
    },
    () => undefined,
  )
  for (const state of ['open', 'half_open', 'closed'] as const) for (const id of ['a', 'b']) notify(change(id, state))
  await vi.waitFor(() => expect(notified).toContain('b closed'))
  expect(notified).toEqual(['a open', 'b closed', 'a closed'])
})

it('what could not be told is told later, unless something newer is', async () => {
  vi.useFakeTimers()
  const notified: string[] = []
  const failed = vi.fn()
  let away = true
  const notify = notifyInOrder(async ({ state }) => {
    if (away) throw new Error('away')
    notified.push(state)
  }, failed)
  notify(change('a', 'open'))
  await vi.advanceTimersByTimeAsync(1500)
  expect(failed).toHaveBeenCalledTimes(2)
  notify(change('a', 'half_open'))
  away = false
  await vi.advanceTimersByTimeAsync(1000)
  expect(notified).toEqual(['half_open'])
  vi.useRealTimers()
})
