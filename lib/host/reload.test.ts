import pino from 'pino'
import { expect, test } from 'vitest'
import { createReloader } from './reload.ts'

const log = pino({ enabled: false })

test.each([0, 1, 2, 3, 4, 5])('a reload that is requested %i steps after the last one read is not lost', async (steps) => {
  let value = 'old'
  let loaded = ''
  const { promise: firstRead, resolve: endFirstRead } = Promise.withResolvers<void>()
  const read = async () => {
    loaded = value
    await Promise.resolve()
    endFirstRead()
  }
  const reload = createReloader(read, { isEnding: () => false, what: 'prices', log })
  reload()
  await firstRead
  for (let step = 0; step < steps; step++) await Promise.resolve()
  value = 'new'
  reload()
  await new Promise(setImmediate)
  expect(loaded).toBe('new')
})

test('However often a reload is requested during one, one more follows.', async () => {
  let reads = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const reload = createReloader(
    () => {
      reads += 1
      return promise
    },
    { isEnding: () => false, what: 'prices', log },
  )
  for (let request = 0; request < 5; request++) reload()
  expect(reads).toBe(1)
  resolve()
  await new Promise(setImmediate)
  expect(reads).toBe(2)
})

test('A process that is ending does not retry.', async () => {
  let reads = 0
  let isEnding = false
  const reload = createReloader(
    () => {
      reads += 1
      isEnding = true
      return Promise.reject(new Error('the database is closed'))
    },
    { isEnding: () => isEnding, what: 'prices', log },
  )
  reload()
  await new Promise(setImmediate)
  reload()
  await new Promise(setImmediate)
  expect(reads).toBe(1)
})
