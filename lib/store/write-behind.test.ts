import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { WriteBehind } from './write-behind.ts'

function createQueue(options: { maxItems: number; maxBytes: number }) {
  const written: number[] = []
  let dropped = 0
  let release = () => {}
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const queue = new WriteBehind<number>({
    async write(items) {
      await gate
      written.push(...items)
    },
    isTransient: () => false,
    onFailed: () => undefined,
    delayMs: 0,
    batch: 10,
    ...options,
    weigh: (item) => item,
    onDropped: () => dropped++,
  })
  return { queue, written, go: release, dropped: () => dropped }
}

it('drops what is more than it may hold in memory, what is being written included, and takes more when that is done', async () => {
  const { queue, written, go, dropped } = createQueue({ maxItems: 1000, maxBytes: 100 })
  for (let n = 0; n < 15; n++) queue.add(9)
  expect(dropped()).toBe(4)
  queue.add(1)
  expect(dropped()).toBe(4)
  go()
  await queue.drain()
  expect(written.length).toBe(12)
  queue.add(100)
  await queue.drain()
  expect([written.at(-1), dropped()]).toEqual([100, 4])
})

it('drops what is more than it may hold in number', async () => {
  const { queue, written, go, dropped } = createQueue({ maxItems: 5, maxBytes: 1e9 })
  for (let n = 0; n < 30; n++) queue.add(1)
  expect(dropped()).toBeGreaterThan(0)
  go()
  await queue.drain()
  expect(written.length + dropped()).toBe(30)
})

describe('a database that is away', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  function createFailing(failures: number, isTransient: (error: unknown) => boolean) {
    const written: number[] = []
    let [left, lost] = [failures, 0]
    const queue = new WriteBehind<number>({
      async write(items) {
        if (left-- > 0) throw new Error('away')
        written.push(...items)
      },
      isTransient,
      onFailed: (_error, items) => {
        lost += items
      },
      ...{ delayMs: 10, batch: 2, maxItems: 10, maxBytes: 1e9, weigh: () => 1, onDropped: () => undefined },
    })
    return { queue, written, lost: () => lost }
  }

  it('gets everything when it is back, in order', async () => {
    const { queue, written, lost } = createFailing(4, () => true)
    for (const item of [1, 2, 3, 4, 5]) queue.add(item)
    await vi.advanceTimersByTimeAsync(1000)
    expect(written).toEqual([])
    await vi.advanceTimersByTimeAsync(2000)
    expect([written, lost()]).toEqual([[1, 2, 3, 4, 5], 0])
  })

  it('is not waited for at the end of the process for longer than a few seconds', async () => {
    const { queue, written, lost } = createFailing(Number.POSITIVE_INFINITY, () => true)
    for (const item of [1, 2, 3]) queue.add(item)
    const drained = queue.drain()
    await vi.advanceTimersByTimeAsync(10_000)
    await drained
    expect([written, lost()]).toEqual([[], 3])
  })

  it('is told apart from a batch that it will never take', async () => {
    const { queue, written, lost } = createFailing(1, () => false)
    for (const item of [1, 2, 3]) queue.add(item)
    await vi.advanceTimersByTimeAsync(1000)
    expect([written, lost()]).toEqual([[3], 2])
  })
})
