import { Refusal } from '../domain/errors.ts'

export const RETRY_AFTER_SECONDS = 5

interface ByteCapacityOptions {
  /** The limits: for one account, and in total. */
  accountBytes: number
  bytes: number
  /** What takes the room, as the refusal for an account without room names it. */
  what: string
  /** Creates the 503 for when there is no room for anybody. */
  createRefusal(): Refusal
}

/** This process's room for what comes with requests in flight, in memory or on disk: limited for each account and in total. */
export class ByteCapacity {
  readonly #options: ByteCapacityOptions
  readonly #perAccount = new Map<string, number>()
  #used = 0

  constructor(options: ByteCapacityOptions) {
    this.#options = options
  }

  get used(): number {
    return this.#used
  }

  /** Throws 429 if the account has no room for this many more bytes, 503 if there is none for anybody. */
  ensureCapacity(accountId: string, bytes: number): void {
    const { accountBytes, bytes: maxBytes, what, createRefusal } = this.#options
    if ((this.#perAccount.get(accountId) ?? 0) + bytes > accountBytes)
      throw new Refusal(
        'too_many_requests',
        `${what} in progress from this account use all the space that one account can have. Wait until some finish.`,
        { retryAfter: RETRY_AFTER_SECONDS },
      )
    if (this.#used + bytes > maxBytes) throw createRefusal()
  }

  /** Takes room for this many more bytes. Throws as ensureCapacity() does. */
  take(accountId: string, bytes: number): void {
    this.ensureCapacity(accountId, bytes)
    this.#add(accountId, bytes)
  }

  release(accountId: string, bytes: number): void {
    this.#add(accountId, -bytes)
  }

  #add(accountId: string, bytes: number): void {
    const used = (this.#perAccount.get(accountId) ?? 0) + bytes
    if (used > 0) this.#perAccount.set(accountId, used)
    else this.#perAccount.delete(accountId)
    this.#used += bytes
  }
}

/** Room in memory for large bodies. A slow sender or a slow model keeps a body in memory for long. */
export const createBodyCapacity = (limits: Pick<ByteCapacityOptions, 'accountBytes' | 'bytes'>): ByteCapacity =>
  new ByteCapacity({
    ...limits,
    what: 'Large requests',
    createRefusal: () =>
      new Refusal('unavailable', 'The gateway has no room for a request of this size right now. Try again in a moment.', {
        retryAfter: RETRY_AFTER_SECONDS,
        detail: 'bodies under way take BODY_BYTES',
      }),
  })
