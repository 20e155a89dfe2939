import { Refusal } from '../domain/errors.ts'

export const RETRY_AFTER_SECONDS = 5

interface RoomOptions {
  /** Of one account, and of all. */
  accountBytes: number
  bytes: number
  /** What takes it, as an account is told that has no more. */
  what: string
  /** The 503 where there is none for anybody. */
  full(): Refusal
}

/** Room of this process for what comes with requests under way, in memory or on disk: so much of one account, and of all. */
export class Room {
  readonly #options: RoomOptions
  readonly #perAccount = new Map<string, number>()
  #used = 0

  constructor(options: RoomOptions) {
    this.#options = options
  }

  get used(): number {
    return this.#used
  }

  /** Throws 429 where its account has no room for so much more, 503 where there is none for anybody. */
  expect(accountId: string, bytes: number): void {
    const { accountBytes, bytes: most, what, full } = this.#options
    if ((this.#perAccount.get(accountId) ?? 0) + bytes > accountBytes)
      throw new Refusal(
        'too_many_requests',
        `${what} in progress from this account use all the space that one account can have. Wait until some finish.`,
        { retryAfter: RETRY_AFTER_SECONDS },
      )
    if (this.#used + bytes > most) throw full()
  }

  /** Takes room for so much more. Throws as expect() does. */
  take(accountId: string, bytes: number): void {
    this.expect(accountId, bytes)
    this.#add(accountId, bytes)
  }

  give(accountId: string, bytes: number): void {
    this.#add(accountId, -bytes)
  }

  #add(accountId: string, bytes: number): void {
    const used = (this.#perAccount.get(accountId) ?? 0) + bytes
    if (used > 0) this.#perAccount.set(accountId, used)
    else this.#perAccount.delete(accountId)
    this.#used += bytes
  }
}

/** Room in memory for large bodies: whoever sends one slowly, or whose model is slow, keeps it there for long. */
export const bodyRoom = (most: Pick<RoomOptions, 'accountBytes' | 'bytes'>): Room =>
  new Room({
    ...most,
    what: 'Large requests',
    full: () =>
      new Refusal('unavailable', 'The gateway has no room for a request of this size right now. Try again in a moment.', {
        retryAfter: RETRY_AFTER_SECONDS,
        detail: 'bodies under way take BODY_BYTES',
      }),
  })
