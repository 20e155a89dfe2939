import type { SpanStatus, Tracer } from '@opentelemetry/api'
import type { Sampler, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace'
import type { Logger } from 'pino'
import type { Env } from '../env.ts'
import type { EndedRequest, SpanPort } from '../gateway/ports.ts'
import { attemptAttributes, attributesOf, callFaultOf, faultOf, spanName } from './span-attributes.ts'

/** Reports requests as spans until it is closed. */
export interface Spans extends SpanPort {
  /** Sends the waiting spans, for a few seconds at most. */
  close(): Promise<void>
}

type SpanEnv = Pick<
  Env,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT' | 'OTEL_TRACES_SAMPLER' | 'OTEL_TRACES_SAMPLER_ARG'
>
type Api = typeof import('@opentelemetry/api')
type Sdk = typeof import('@opentelemetry/sdk-trace')
type Propagator = import('@opentelemetry/core').W3CTraceContextPropagator

const CLOSE_TIMEOUT_MS = 5000
/** How many spans may wait to be sent. */
const MAX_WAITING = 2048

/** Milliseconds since 1970 in the form that the library takes, to the nanosecond. */
const timeOf = (ms: number): [number, number] => [Math.floor(ms / 1000), Math.round((ms % 1000) * 1e6)]

function samplerOf(env: SpanEnv, sdk: Sdk): Sampler {
  const { AlwaysOnSampler, AlwaysOffSampler, ParentBasedSampler, TraceIdRatioBasedSampler } = sdk
  const [, parent, name] = /^(parentbased_)?(.+)$/.exec(env.OTEL_TRACES_SAMPLER) ?? []
  const root =
    name === 'always_off'
      ? new AlwaysOffSampler()
      : name === 'traceidratio'
        ? new TraceIdRatioBasedSampler(env.OTEL_TRACES_SAMPLER_ARG)
        : new AlwaysOnSampler()
  return parent ? new ParentBasedSampler({ root }) : root
}

/** An exporter that logs its failures. By default it silently drops what it cannot send. */
function logExportFailures(exporter: SpanExporter, log: Logger, onDropped: () => void): SpanExporter {
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.error || result.code !== 0) {
          for (const _ of spans) onDropped()
          log.warn({ spans: spans.length, error: String(result.error ?? 'refused') }, 'traces could not be sent')
        }
        done(result)
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
}

/** Sends spans in batches and reports each span for which there is no room. By default the library silently drops it. */
function createBatchProcessor(sdk: Sdk, exporter: SpanExporter, onDropped: () => void): SpanProcessor {
  let waiting = 0
  const countingExporter: SpanExporter = {
    export(spans, done) {
      waiting -= spans.length
      exporter.export(spans, done)
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  }
  const processor = new sdk.BatchSpanProcessor({ exporter: countingExporter, maxQueueSize: MAX_WAITING })
  return {
    onStart: (span, parent) => processor.onStart(span, parent),
    onEnd(span) {
      if (waiting >= MAX_WAITING) return onDropped()
      waiting++
      processor.onEnd(span)
    },
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  }
}

/** Writes requests as spans, each with a child span for each call to a vendor. */
class SpanWriter {
  readonly #tracer: Tracer
  readonly #api: Api
  readonly #propagator: Propagator

  constructor(tracer: Tracer, api: Api, propagator: Propagator) {
    this.#tracer = tracer
    this.#api = api
    this.#propagator = propagator
  }

  write(ended: EndedRequest): void {
    const { SpanKind, trace } = this.#api
    const { item, calls } = ended
    const beganMs = item.at.getTime()
    const parent = this.#parentOf(ended)
    const spanOptions = { startTime: timeOf(beganMs), kind: SpanKind.SERVER, attributes: attributesOf(ended) }
    const span = this.#tracer.startSpan(spanName(item, item.modelId), spanOptions, parent)
    const childContext = trace.setSpan(parent, span)
    item.trace.forEach((attempt, at) => {
      const startMs = calls.startsMs[at]
      if (startMs === undefined) return
      const callOptions = {
        startTime: timeOf(beganMs + startMs),
        kind: SpanKind.CLIENT,
        attributes: attemptAttributes(item, attempt),
      }
      const call = this.#tracer.startSpan(spanName(item, attempt.model), callOptions, childContext)
      const callFault = callFaultOf(attempt)
      if (callFault !== null) call.setStatus(this.#errorStatus(callFault))
      call.end(timeOf(beganMs + startMs + attempt.tookMs))
    })
    if (item.firstTokenMs !== null) span.addEvent('first token', timeOf(beganMs + item.firstTokenMs))
    const fault = faultOf(ended)
    if (fault !== null) span.setStatus(this.#errorStatus(fault))
    span.end(timeOf(beganMs + item.tookMs))
  }

  #errorStatus(message: string): SpanStatus {
    return { code: this.#api.SpanStatusCode.ERROR, message }
  }

  /** The client's span to which a request belongs, according to its headers. */
  #parentOf({ headers }: EndedRequest) {
    const { ROOT_CONTEXT } = this.#api
    if (headers === null) return ROOT_CONTEXT
    return this.#propagator.extract(ROOT_CONTEXT, headers, { get: (from, key) => from.get(key) ?? undefined, keys: () => [] })
  }
}

/**
 * Sends traces to OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT (OTLP, protobuf over HTTP). Null if neither
 * is set, and then the library is not loaded. A span is created when its request is over, so that no request waits for it.
 */
export async function openSpans(env: SpanEnv, log: Logger, onDropped: () => void): Promise<Spans | null> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined && env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT === undefined) return null
  const [api, sdk, { OTLPTraceExporter }, { W3CTraceContextPropagator }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-proto'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
  ])
  const { resourceFromAttributes, detectResources, resourceAttributesEnvDetector, serviceNameEnvDetector } = resources
  const envResource = detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] })
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'tollgate' }).merge(envResource),
    sampler: samplerOf(env, sdk),
    spanProcessors: [createBatchProcessor(sdk, logExportFailures(new OTLPTraceExporter(), log, onDropped), onDropped)],
  })
  const writer = new SpanWriter(provider.getTracer('tollgate'), api, new W3CTraceContextPropagator())
  return {
    recordFinished(ended) {
      try {
        writer.write(ended)
      } catch (error) {
        // The caller is about to end a request and to settle it, so this must not throw.
        log.error({ request: ended.item.id, error: String(error) }, 'a request could not be traced')
      }
    },
    async close() {
      await provider.forceFlush({ timeoutMillis: CLOSE_TIMEOUT_MS }).catch(() => undefined)
      await provider.shutdown().catch(() => undefined)
    },
  }
}
