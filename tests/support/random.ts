/** Reproducible random numbers: the same seed gives the same numbers in the same order (sfc32, seeded by FNV-1a). */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: string) {
    const hash = (salt: number): number => {
      let value = 0x811c9dc5 ^ salt
      for (let at = 0; at < seed.length; at++) value = Math.imul(value ^ seed.charCodeAt(at), 0x01000193)
      return value ^ (value >>> 15)
    }
    this.#a = hash(1)
    this.#b = hash(2)
    this.#c = hash(3)
    for (let turn = 0; turn < 12; turn++) this.next()
  }

  /** A number from 0 (included) to 1 (excluded). */
  next(): number {
    const sum = (this.#a + this.#b + this.#counter++) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    return (sum >>> 0) / 2 ** 32
  }

  /** An integer from `low` to `high`, both included. */
  integer(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1))
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError('nothing to pick from')
    return items[Math.floor(this.next() * items.length)] as T
  }

  /** One of the items, chosen by weight. */
  pickWeighted<T>(items: readonly (readonly [weight: number, item: T])[]): T {
    let at = this.next() * items.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, item] of items) {
      at -= weight
      if (at < 0) return item
    }
    throw new RangeError('nothing to pick from')
  }
}

/** A seed for a run that was given none. */
export const randomSeed = (): string => String(Math.floor(Math.random() * 2 ** 32))
