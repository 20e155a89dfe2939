import { Refusal } from '../domain/errors.ts'

const RETRY_AFTER_SECONDS = 5

/**
 * What bodies of requests under way take of this process's memory: of one account, and of all. Whoever sends one slowly, or
 * whose model is slow, keeps it there for long.
 */
export class BodyRoom {
  readonly #most: { accountBytes: number; bytes: number }
  readonly #perAccount = new Map<string, number>()
  #all = 0

  constructor(most: { accountBytes: number; bytes: number }) {
    this.#most = most
  }

  /** Takes room for so much more. Throws 429 where its account has no more, 503 where there is none for anybody. */
  take(accountId: string, bytes: number): void {
    const used = (this.#perAccount.get(accountId) ?? 0) + bytes
    if (used > this.#most.accountBytes)
      throw new Refusal(
        'too_many_requests',
        'Large requests under way of this account take all the room that one account may have. Wait until some have finished.',
        { retryAfter: RETRY_AFTER_SECONDS },
      )
    if (this.#all + bytes > this.#most.bytes)
      throw new Refusal('unavailable', 'The gateway has no room for a request of this size just now. Try again in a moment.', {
        retryAfter: RETRY_AFTER_SECONDS,
        detail: 'bodies under way take BODY_BYTES',
      })
    this.#perAccount.set(accountId, used)
    this.#all += bytes
  }

  give(accountId: string, bytes: number): void {
    const left = (this.#perAccount.get(accountId) ?? 0) - bytes
    if (left > 0) this.#perAccount.set(accountId, left)
    else this.#perAccount.delete(accountId)
    this.#all -= bytes
  }
}
