import type pg from 'pg'
import { expect, it } from 'vitest'
import { Callers } from './callers.ts'

/** Callers whose database answers a look-up when it is let, with no key at all. */
function callersOf() {
  const waiting: (() => void)[] = []
  const query = async () => {
    await new Promise<void>((resolve) => waiting.push(resolve))
    return { rows: [] }
  }
  const callers = new Callers({ pool: { query } as unknown as pg.Pool, hash: (secret) => Buffer.from(secret) })
  const answer = () => {
    for (const resolve of waiting.splice(0)) resolve()
  }
  return { callers, waiting, answer }
}

it('what was looked up while something changed is not remembered', async () => {
  const { callers, waiting, answer } = callersOf()
  const looking = callers.find('sk-tg-1')
  callers.forget('key', 'key_1')
  answer()
  expect(await looking).toBeNull()
  const again = callers.find('sk-tg-1')
  expect(waiting.length).toBe(1)
  answer()
  expect(await again).toBeNull()
  // Nothing changed meanwhile: for a while it is known to be nobody's.
  expect(callers.find('sk-tg-1')).toBeNull()
})

it('who asks together is looked up once', async () => {
  const { callers, waiting, answer } = callersOf()
  const both = [callers.find('sk-tg-1'), callers.find('sk-tg-1')]
  expect(waiting.length).toBe(1)
  answer()
  expect(await Promise.all(both)).toEqual([null, null])
})
