import type { MaybePromise } from '../../domain/maybe-promise.ts'
import type { KeyCapacityPort } from './ports.ts'
import type { SharedCountsClient } from './shared-counts-client.ts'

interface KeySlots {
  running: number
  /** The leased places that no request occupies. */
  free: number
  block: number
  /** The most that ran at once since the last check for idle places. */
  peak: number
  waiters: ((taken: boolean) => void)[]
  asking: boolean
}

/**
 * The places of each key, counted across processes: blocks of places are leased, as the limiter leases blocks of minutes.
 * While the shared counts are out of reach, each process has its share of the places.
 */
export class LeasedCapacity implements KeyCapacityPort {
  readonly #countsClient: SharedCountsClient
  readonly #max: () => number
  /** The limit at the last tick. */
  #previousMax: number
  readonly #keys = new Map<string, KeySlots>()

  constructor(options: { countsClient: SharedCountsClient; max: () => number }) {
    this.#countsClient = options.countsClient
    this.#max = options.max
    this.#previousMax = options.max()
    this.#countsClient.onRestored(() => this.#reportAll())
  }

  take(keyId: string): MaybePromise<boolean> {
    const places = this.#slotsOf(keyId)
    if (places.free > 0 && places.waiters.length === 0) return this.#occupy(places)
    if (!this.#countsClient.reachable) return this.#takeLocally(places)
    return new Promise((resolve) => {
      places.waiters.push(resolve)
      if (!places.asking) void this.#ask(keyId, places)
    })
  }

  release(keyId: string): void {
    const places = this.#keys.get(keyId)
    if (!places) return
    places.running--
    if (!this.#countsClient.reachable) return
    places.free++
    // Without a block every place counts: a request in another process may be refused for lack of this one.
    if (places.block === 0 && !places.asking) void this.#ask(keyId, places)
  }

  /**
   * Gives back the places that have been idle since the last call, or were leased under a different limit. Called four times
   * a second.
   */
  tick(): void {
    const max = this.#max()
    const maxChanged = max !== this.#previousMax
    this.#previousMax = max
    for (const [keyId, places] of this.#keys) {
      const { peak, running, free, block, asking } = places
      places.peak = running
      if (asking) continue
      if (peak === 0 && free === 0) this.#keys.delete(keyId)
      else if (this.#countsClient.reachable && (peak === 0 || running + free > peak + block || (maxChanged && free > 0)))
        void this.#ask(keyId, places)
    }
  }

  #slotsOf(keyId: string): KeySlots {
    let places = this.#keys.get(keyId)
    if (!places) {
      places = { running: 0, free: 0, block: 0, peak: 0, waiters: [], asking: false }
      this.#keys.set(keyId, places)
    }
    return places
  }

  #occupy(places: KeySlots): true {
    places.free--
    places.running++
    places.peak = Math.max(places.peak, places.running)
    return true
  }

  #takeLocally(places: KeySlots): boolean {
    if (places.running >= Math.max(1, Math.floor(this.#max() / this.#countsClient.sharers))) return false
    places.free++
    return this.#occupy(places)
  }

  /** Reports how many run here, and asks for places for the waiting ones. What was free goes back first. */
  async #ask(keyId: string, places: KeySlots): Promise<void> {
    places.asking = true
    do {
      const waiters = places.waiters.splice(0)
      places.free = 0
      const { running } = places
      const need = waiters.length
      const answer = await this.#countsClient.ask({ kind: 'enter', key: keyId, most: this.#max(), running, need, block: true })
      places.block = answer?.block ?? 0
      // Requests that ended meanwhile left their places free: they were counted as running.
      places.free = answer ? places.free + answer.granted + answer.block : 0
      for (const resolve of waiters) resolve(answer ? places.free > 0 && this.#occupy(places) : this.#takeLocally(places))
    } while (places.waiters.length > 0 || (places.block === 0 && places.free > 0 && this.#countsClient.reachable))
    places.asking = false
  }

  /** The counts may have forgotten everything, so they are told what runs here. */
  #reportAll(): void {
    for (const [keyId, places] of this.#keys) if (!places.asking) void this.#ask(keyId, places)
  }
}
