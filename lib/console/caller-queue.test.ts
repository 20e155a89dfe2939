import { expect, it } from 'vitest'
import { createCallerQueue } from './caller-queue.ts'

/** Tasks that end when the test says so, and the accounts of those that have started. */
function turnsOf(atOnce: number, waiting: number) {
  const turns = createCallerQueue(atOnce, waiting)
  const running: string[] = []
  const ends: (() => void)[] = []
  const ask = (accountId: string) =>
    turns(accountId, async () => {
      running.push(accountId)
      await new Promise<void>((resolve) => ends.push(resolve))
    })
  return { ask, running, ends }
}

const turn = () => new Promise(setImmediate)

it('lets an account do a few things at once, and no other one wait for it', async () => {
  const { ask, running, ends } = turnsOf(2, 10)
  const all = [ask('acc_1'), ask('acc_1'), ask('acc_1'), ask('acc_2')]
  await turn()
  expect(running).toEqual(['acc_1', 'acc_1', 'acc_2'])
  ends[0]?.()
  await turn()
  expect(running).toEqual(['acc_1', 'acc_1', 'acc_2', 'acc_1'])
  for (const end of ends) end()
  await Promise.all(all)
})

it('tells an account that has too many waiting to come again, and when', async () => {
  const { ask, ends } = turnsOf(1, 1)
  const all = [ask('acc_1'), ask('acc_1')]
  await expect(ask('acc_1')).rejects.toMatchObject({ code: 'rate_limit_exceeded', retryAfterMs: 5000 })
  ends[0]?.()
  await turn()
  ends[1]?.()
  await Promise.all(all)
  const again = ask('acc_1')
  ends[2]?.()
  await again
})
