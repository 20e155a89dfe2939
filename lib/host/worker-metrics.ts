import { AggregatorRegistry } from 'prom-client'

/** Types of metrics that keep counting after their process is gone. Its other values no longer apply. */
const ACCUMULATING_TYPES: ReadonlySet<string> = new Set(['counter', 'histogram'])

/**
 * Merges the metrics of several processes into one set. Sums never fall: a process that is too busy to report counts with its
 * last report, and one that is gone counts with what it had counted.
 */
export class WorkerMetrics {
  readonly #latest = new Map<string, object[]>()
  #endedTotals: object[] = []

  /** Takes the metrics of a process as its readJson() gives them. */
  record(worker: string, metrics: object[]): void {
    this.#latest.set(worker, metrics)
  }

  /** Call when a process is gone. */
  forget(worker: string): void {
    const last = this.#latest.get(worker)
    if (!last) return
    this.#latest.delete(worker)
    const counts = last.filter((metric) => ACCUMULATING_TYPES.has((metric as { type: string }).type))
    this.#endedTotals = AggregatorRegistry.aggregate([this.#endedTotals, counts]).getMetricsAsArray()
  }

  text(): Promise<string> {
    return AggregatorRegistry.aggregate([...this.#latest.values(), this.#endedTotals]).metrics()
  }
}
