import { expect, it } from 'vitest'
import { ConcurrencyLimiter } from './concurrency-limiter.ts'

const createLimiter = (
  ofKey: number,
  ofAccount: number,
): { limiter: ConcurrencyLimiter; enter: (keyId: string) => () => void } => {
  const limiter = new ConcurrencyLimiter({ limits: { ofKey: () => ofKey, ofAccount: () => ofAccount } })
  return {
    limiter,
    enter(keyId) {
      const leave = limiter.enter({ accountId: 'acct_1', keyId })
      if (leave instanceof Promise) throw new Error('no place at once')
      return leave
    },
  }
}

it('who was let out twice has left one place, not two', () => {
  const { enter } = createLimiter(2, 3)
  const leave = enter('key_1')
  enter('key_1')
  leave()
  leave()
  enter('key_1')
  expect(() => enter('key_1')).toThrow(/^This key has 2 requests in progress/)
  // The account has two requests in flight: one more is admitted, and no more than that.
  enter('key_2')
  expect(() => enter('key_3')).toThrow(/^This account has 3 requests in progress/)
})

it('who is not let in for its key, told at once or later, has taken no place of its account', async () => {
  const { limiter, enter } = createLimiter(1, 2)
  enter('key_1')
  for (let n = 0; n < 5; n++) expect(() => enter('key_1')).toThrow(/^This key has 1/)
  enter('key_2')
  expect(() => enter('key_3')).toThrow(/^This account has 2/)
  expect(limiter.enter({ accountId: 'acct_2', keyId: 'key_4' })).toBeTypeOf('function')
  const later = new ConcurrencyLimiter({
    limits: { ofKey: () => 1, ofAccount: () => 1 },
    keys: { take: async (keyId) => keyId !== 'full', release: () => undefined },
  })
  for (let n = 0; n < 3; n++) await expect(later.enter({ accountId: 'acct_1', keyId: 'full' })).rejects.toThrow(/^This key has 1/)
  const leave = await later.enter({ accountId: 'acct_1', keyId: 'free' })
  leave()
  await later.enter({ accountId: 'acct_1', keyId: 'free' })
})
