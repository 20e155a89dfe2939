import { queueOf } from '../domain/queue.ts'
import { ServiceError } from '../services/service-error.ts'

/** Does a read for an account, when its turn comes. Errors: `rate_limit_exceeded` where too many wait. */
export type Reads = <T>(accountId: string, read: () => Promise<T>) => Promise<T>

const RETRY_MS = 5000

const tooMany = () =>
  new ServiceError('rate_limit_exceeded', 'Too many requests of this account are waiting. Try again in a few seconds.', {
    retryAfterMs: RETRY_MS,
  })

interface Account {
  queued: <T>(read: () => Promise<T>) => Promise<T>
  inside: number
}

/** Lets each account read so many things at once in this process, and so many more wait: others need the database too. */
export function createReads(atOnce: number, waiting: number): Reads {
  const accounts = new Map<string, Account>()
  return async (accountId, read) => {
    const account = accounts.get(accountId) ?? { queued: queueOf(atOnce, { waiting, refuse: tooMany }), inside: 0 }
    accounts.set(accountId, account)
    account.inside++
    try {
      return await account.queued(read)
    } finally {
      account.inside--
      if (account.inside === 0) accounts.delete(accountId)
    }
  }
}
