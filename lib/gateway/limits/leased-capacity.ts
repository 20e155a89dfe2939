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
    const slots = this.#slotsOf(keyId)
    if (slots.free > 0 && slots.waiters.length === 0) return this.#occupy(slots)
    if (!this.#countsClient.reachable) return this.#takeLocally(slots)
    return new Promise((resolve) => {
      slots.waiters.push(resolve)
      if (!slots.asking) void this.#ask(keyId, slots)
    })
  }

  release(keyId: string): void {
    const slots = this.#keys.get(keyId)
    if (!slots) return
    slots.running--
    if (!this.#countsClient.reachable) return
    slots.free++
    // Without a block every place counts: a request in another process may be refused for lack of this one.
    if (slots.block === 0 && !slots.asking) void this.#ask(keyId, slots)
  }

  /**
   * Gives back the places that have been idle since the last call, or were leased under a different limit. Called four times
   * a second.
   */
  tick(): void {
    const max = this.#max()
    const maxChanged = max !== this.#previousMax
    this.#previousMax = max
    for (const [keyId, slots] of this.#keys) {
      const { peak, running, free, block, asking } = slots
      slots.peak = running
      if (asking) continue
      if (peak === 0 && free === 0) this.#keys.delete(keyId)
      else if (this.#countsClient.reachable && (peak === 0 || running + free > peak + block || (maxChanged && free > 0)))
        void this.#ask(keyId, slots)
    }
  }

  #slotsOf(keyId: string): KeySlots {
    let slots = this.#keys.get(keyId)
    if (!slots) {
      slots = { running: 0, free: 0, block: 0, peak: 0, waiters: [], asking: false }
      this.#keys.set(keyId, slots)
    }
    return slots
  }

  #occupy(slots: KeySlots): true {
    slots.free--
    slots.running++
    slots.peak = Math.max(slots.peak, slots.running)
    return true
  }

  #takeLocally(slots: KeySlots): boolean {
    if (slots.running >= Math.max(1, Math.floor(this.#max() / this.#countsClient.sharers))) return false
    slots.free++
    return this.#occupy(slots)
  }

  /** Reports how many run here, and asks for places for the waiting ones. What was free goes back first. */
  async #ask(keyId: string, slots: KeySlots): Promise<void> {
    slots.asking = true
    do {
      const waiters = slots.waiters.splice(0)
      slots.free = 0
      const { running } = slots
      const need = waiters.length
      const answer = await this.#countsClient.ask({ kind: 'enter', key: keyId, most: this.#max(), running, need, block: true })
      slots.block = answer?.block ?? 0
      // Requests that ended meanwhile left their places free: they were counted as running.
      slots.free = answer ? slots.free + answer.granted + answer.block : 0
      for (const resolve of waiters) resolve(answer ? slots.free > 0 && this.#occupy(slots) : this.#takeLocally(slots))
    } while (slots.waiters.length > 0 || (slots.block === 0 && slots.free > 0 && this.#countsClient.reachable))
    slots.asking = false
  }

  /** The counts may have forgotten everything, so they are told what runs here. */
  #reportAll(): void {
    for (const [keyId, slots] of this.#keys) if (!slots.asking) void this.#ask(keyId, slots)
  }
}
