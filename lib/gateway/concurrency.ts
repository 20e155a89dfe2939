import { Refusal } from '../domain/errors.ts'
import type { Soon } from '../domain/soon.ts'
import type { RoomPort } from './limits/ports.ts'

/** Counts the places of each key in this process. */
export class LocalRoom implements RoomPort {
  readonly #most: () => number
  readonly #running = new Map<string, number>()

  constructor(most: () => number) {
    this.#most = most
  }

  take(keyId: string): boolean {
    const count = this.#running.get(keyId) ?? 0
    if (count >= this.#most()) return false
    this.#running.set(keyId, count + 1)
    return true
  }

  give(keyId: string): void {
    const left = (this.#running.get(keyId) ?? 1) - 1
    if (left > 0) this.#running.set(keyId, left)
    else this.#running.delete(keyId)
  }
}

/** Lets the requests of keys in and out, so many of each key at once. `most` is asked at each: it may change. */
export class Places {
  readonly #most: () => number
  readonly #room: RoomPort
  #running = 0

  constructor(options: { most: () => number; room?: RoomPort }) {
    this.#most = options.most
    this.#room = options.room ?? new LocalRoom(options.most)
  }

  /** Resolves when nothing is under way any more, or after `ms`. */
  async drained(ms: number): Promise<void> {
    const until = performance.now() + ms
    while (this.#running > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 25))
  }

  /** Lets a key's request in, or refuses where too many are under way. Answers what lets it out again, once. */
  enter(keyId: string): Soon<() => void> {
    const taken = this.#room.take(keyId)
    return typeof taken === 'boolean' ? this.#admit(keyId, taken) : taken.then((is) => this.#admit(keyId, is))
  }

  #admit(keyId: string, taken: boolean): () => void {
    if (!taken)
      throw new Refusal(
        'too_many_requests',
        `This key has ${this.#most()} requests under way, which is the most it may have. Wait until some have finished.`,
        { retryAfter: 1 },
      )
    this.#running++
    let inside = true
    return () => {
      if (!inside) return
      inside = false
      this.#running--
      this.#room.give(keyId)
    }
  }
}
