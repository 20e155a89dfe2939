import { expect, it } from 'vitest'
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
