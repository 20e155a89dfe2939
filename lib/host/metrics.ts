import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Observed } from '../gateway/ports.ts'

/** What Prometheus reads at /metrics. */
export interface Metrics {
  observe(observed: Observed): void
  text(): Promise<string>
}

/** Builds the registry. `settling` says how many settlements wait for a commit. */
export function createMetrics(options: { settling: () => number }): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'tollgate_requests_total',
    help: 'Finished requests.',
    labelNames: ['endpoint', 'model', 'status', 'outcome'],
    registers: [registry],
  })
  const seconds = (name: string, help: string) =>
    new Histogram({
      name,
      help,
      labelNames: ['endpoint'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 30, 120],
      registers: [registry],
    })
  const took = seconds('tollgate_request_seconds', 'Time from the headers of a request to its end.')
  const own = seconds('tollgate_own_seconds', 'The part of it that was not spent waiting for the vendor.')
  const first = seconds('tollgate_first_token_seconds', 'Time to the first token of a stream.')
  new Gauge({
    name: 'tollgate_settling',
    help: 'Settlements that wait for a commit.',
    registers: [registry],
    collect() {
      this.set(options.settling())
    },
  })
  return {
    observe(observed) {
      const { endpoint } = observed
      // A model that nobody has is a name of the client's making: it may not become a label.
      const model = observed.status === 404 || observed.outcome === 'refused' ? '' : observed.model
      requests.inc({ endpoint, model, status: String(observed.status), outcome: observed.outcome })
      took.observe({ endpoint }, observed.tookMs / 1000)
      own.observe({ endpoint }, observed.ownMs / 1000)
      if (observed.firstTokenMs !== null) first.observe({ endpoint }, observed.firstTokenMs / 1000)
    },
    text: () => registry.metrics(),
  }
}
