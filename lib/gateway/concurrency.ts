import { Refusal } from '../domain/errors.ts'

/** How many requests each key has under way in this process. */
export class Places {
  readonly #most: number
  readonly #running = new Map<string, number>()

  constructor(options: { most: number }) {
    this.#most = options.most
  }

  /** Resolves when nothing is under way any more, or after `ms`. */
  async drained(ms: number): Promise<void> {
    const until = performance.now() + ms
    while (this.#running.size > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 25))
  }

  /** Lets a key's request in, or refuses where too many are under way. Answers what lets it out again, once. */
  enter(keyId: string): () => void {
    const count = this.#running.get(keyId) ?? 0
    if (count >= this.#most)
      throw new Refusal(
        'too_many_requests',
        `This key has ${this.#most} requests under way, which is the most it may have. Wait until some have finished.`,
        { retryAfter: 1 },
      )
    this.#running.set(keyId, count + 1)
    let inside = true
    return () => {
      if (!inside) return
      inside = false
      const left = (this.#running.get(keyId) ?? 1) - 1
      if (left > 0) this.#running.set(keyId, left)
      else this.#running.delete(keyId)
    }
  }
}
