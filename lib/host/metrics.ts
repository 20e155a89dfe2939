import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { BreakerState } from '../gateway/breaker.ts'
import type { RequestMetrics } from '../gateway/ports.ts'
import type { EventRejection } from '../services/billing/billing-ports.ts'

/** The metrics that Prometheus reads at /metrics. */
export interface Metrics {
  observe(observed: RequestMetrics): void
  /** Counts a request that was refused because the process is overloaded. */
  countShed(reason: string): void
  /** Counts what was dropped because too much of it waits or, for `span`, because it could not be sent. */
  countDropped(what: 'history' | 'record' | 'traffic' | 'span'): void
  /** Counts a delivery to the webhook that was not accepted as Stripe's. */
  countEventRejection(reason: EventRejection): void
  /** Adds a gauge that is read on each scrape. Over several processes it is their sum, minimum or maximum. */
  registerGauge(name: string, help: string, read: () => number, over?: 'sum' | 'min' | 'max'): void
  /** Adds the state of each deployment's breaker. */
  registerBreakers(read: () => BreakerStatus[]): void
  text(): Promise<string>
  /** The values, to be added up with those of other processes. */
  readJson(): Promise<object[]>
}

/** A deployment of the catalog and the state of its breaker. */
export interface BreakerStatus {
  deployment: string
  model: string
  connection: string
  state: BreakerState
}

const BREAKER_LEVEL: Record<BreakerState, number> = { closed: 0, half_open: 1, open: 2 }

/** Open files and their limit are per process. Over several, the maximum counts: that process is closest to its limit. */
const MAX_AGGREGATED = ['process_open_fds', 'process_max_fds'] as const

/** Builds the registry of this process. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  for (const name of MAX_AGGREGATED) Object.assign(registry.getSingleMetric(name) ?? {}, { aggregator: 'max' })
  const requests = new Counter({
    name: 'tollgate_requests_total',
    help: 'Finished requests.',
    labelNames: ['endpoint', 'model', 'status', 'outcome'],
    registers: [registry],
  })
  const counter = (name: string, help: string, label: string) =>
    new Counter({ name, help, labelNames: [label], registers: [registry] })
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
  const shed = counter('tollgate_shed_total', 'Requests turned down because of overload.', 'reason')
  const dropped = counter('tollgate_dropped_total', 'What was dropped because too much of it waited to be written.', 'what')
  const rejected = counter(
    'tollgate_stripe_events_rejected_total',
    'Deliveries that were not accepted as Stripe events.',
    'reason',
  )
  return {
    observe(observed) {
      const { endpoint } = observed
      // An unknown model is a name made up by the client and must not become a label.
      const model = observed.status === 404 || observed.outcome === 'refused' ? '' : observed.model
      requests.inc({ endpoint, model, status: String(observed.status), outcome: observed.outcome })
      took.observe({ endpoint }, observed.tookMs / 1000)
      own.observe({ endpoint }, observed.ownMs / 1000)
      if (observed.firstTokenMs !== null) first.observe({ endpoint }, observed.firstTokenMs / 1000)
    },
    countShed: (reason) => shed.inc({ reason }),
    countDropped: (what) => dropped.inc({ what }),
    countEventRejection: (reason) => rejected.inc({ reason }),
    registerGauge(name, help, read, aggregator = 'sum') {
      const collect = function (this: Gauge) {
        this.set(read())
      }
      new Gauge({ name, help, registers: [registry], aggregator, collect })
    },
    registerBreakers: (read) => registerBreakerGauge(registry, read),
    text: () => registry.metrics(),
    readJson: () => registry.getMetricsAsJSON(),
  }
}

/** Shows only deployments of the current catalog: deployments that are gone must not stay as labels. */
function registerBreakerGauge(registry: Registry, breakers: () => BreakerStatus[]): void {
  new Gauge({
    name: 'tollgate_breaker_state',
    help: 'The breaker of a deployment in this process: 0 closed, 1 half open, 2 open.',
    labelNames: ['deployment', 'model', 'connection'],
    registers: [registry],
    aggregator: 'max',
    collect() {
      this.reset()
      for (const { state, ...labels } of breakers()) this.set(labels, BREAKER_LEVEL[state])
    },
  })
}
