import { AggregatorRegistry } from 'prom-client'

/** What goes on counting: of a process that is gone, nothing else is true any more. */
const COUNTS: ReadonlySet<string> = new Set(['counter', 'histogram'])

/**
 * The metrics of several processes as those of one. Sums never fall: a process that is too busy to tell counts with what it told
 * last, and so does one that is gone with what it had counted.
 */
export class WorkerMetrics {
  readonly #latest = new Map<string, object[]>()
  #gone: object[] = []

  /** Takes the metrics of a process, as createMetrics() tells their values. */
  told(worker: string, metrics: object[]): void {
    this.#latest.set(worker, metrics)
  }

  /** A process is gone. */
  forget(worker: string): void {
    const last = this.#latest.get(worker)
    if (!last) return
    this.#latest.delete(worker)
    const counts = last.filter((metric) => COUNTS.has((metric as { type: string }).type))
    this.#gone = AggregatorRegistry.aggregate([this.#gone, counts]).getMetricsAsArray()
  }

  text(): Promise<string> {
    return AggregatorRegistry.aggregate([...this.#latest.values(), this.#gone]).metrics()
  }
}
