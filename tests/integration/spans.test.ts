import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type CollectedSpan, type Collector, startCollector } from '../fakes/collector.ts'
import { createDatabase, type TestDatabase } from '../support/database.ts'
import { startGateway, type TestGateway } from '../support/gateway.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const SPAN_KIND_SERVER = 2
const SPAN_KIND_CLIENT = 3
const STATUS_ERROR = 2

let database: TestDatabase
let collector: Collector
let gateway: TestGateway
const open = (env: Record<string, string>) => startGateway({ databaseUrl: database.url, env })

/** Sends a request that belongs to a span of its sender. Returns the request id and the status. */
async function ask(body: object, traceparent = `00-${TRACE}-${PARENT}-01`): Promise<{ id: string; status: number }> {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'A word that nobody else may read' }], ...body }),
  })
  await answer.text()
  return { id: answer.headers.get('x-request-id') ?? '', status: answer.status }
}

const spanOf = (id: string): CollectedSpan | undefined =>
  collector.spans.find(({ attributes }) => attributes['tollgate.request.id'] === id)
const childSpans = (span: CollectedSpan | undefined) => collector.spans.filter(({ parentId }) => parentId === span?.spanId)

beforeAll(async () => {
  database = await createDatabase()
  collector = await startCollector()
})
afterAll(async () => {
  await collector.close()
  await database.drop()
})

describe('requests of a gateway that was told where to send traces', () => {
  let streamed: string, failed: string, unknown: string, unsampled: string
  let beganMs: number

  beforeAll(async () => {
    gateway = await open({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-team=core',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    })
    beganMs = Date.now()
    streamed = (await ask({ model: 'sandbox/chat', stream: true })).id
    failed = (await ask({ model: 'sandbox/error-500' })).id
    unknown = (await ask({ model: 'nobody/has-this' }, 'not a traceparent')).id
    unsampled = (await ask({ model: 'sandbox/chat' }, `00-${TRACE}-${PARENT}-00`)).id
    // Pending spans are sent before the gateway exits.
    await gateway.stop()
  })

  test('are spans below those of their senders, with what was used and charged', () => {
    const span = spanOf(streamed)
    expect(span).toMatchObject({
      traceId: TRACE,
      parentId: PARENT,
      kind: SPAN_KIND_SERVER,
      name: 'chat sandbox/chat',
      events: ['first token'],
    })
    expect(span?.status.code).toBe(0)
    expect(span?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'sandbox/chat',
      'gen_ai.response.finish_reasons': ['stop'],
      'http.response.status_code': 200,
      'tollgate.endpoint': 'chat.completions',
      'tollgate.stream': true,
      'tollgate.outcome': 'finished',
    })
    for (const name of ['gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens', 'tollgate.charged_nano'])
      expect(span?.attributes[name], name).toBeGreaterThan(0)
    expect(span?.attributes).not.toHaveProperty('error.type')
    expect(span?.startMs).toBeGreaterThanOrEqual(beganMs)
    expect(span?.endMs).toBeLessThanOrEqual(Date.now())
  })

  test('have a span below them for each call to a vendor, within their own time', () => {
    const span = spanOf(streamed)
    const [call, ...more] = childSpans(span)
    expect(more).toEqual([])
    expect(call).toMatchObject({ traceId: TRACE, kind: SPAN_KIND_CLIENT, attributes: { 'http.response.status_code': 200 } })
    expect(call?.startMs).toBeGreaterThanOrEqual(span?.startMs ?? 0)
    expect(call?.endMs).toBeGreaterThan(call?.startMs ?? 0)
    // Times are rounded.
    expect(call?.endMs).toBeLessThanOrEqual((span?.endMs ?? 0) + 1)
  })

  test('that a vendor failed are faults, and so are its calls', () => {
    const span = spanOf(failed)
    expect(span?.status.code).toBe(STATUS_ERROR)
    expect(span?.attributes).toMatchObject({ 'tollgate.outcome': 'vendor_failed', 'tollgate.charged_nano': 0 })
    expect(span?.attributes['error.type']).toEqual(expect.any(String))
    expect(childSpans(span)).toMatchObject([
      { status: { code: STATUS_ERROR }, attributes: { 'http.response.status_code': 500, 'error.type': 'failed' } },
    ])
  })

  test('that their clients got wrong are none, and begin a trace of their own where they name none', () => {
    const span = spanOf(unknown)
    expect(span?.traceId).not.toBe(TRACE)
    expect(span?.parentId).toBe('')
    expect(span?.status.code).toBe(0)
    expect(span?.attributes).toMatchObject({ 'http.response.status_code': 404, 'error.type': 'model_not_found' })
  })

  test('that their senders do not sample are left out', () => {
    expect(spanOf(unsampled)).toBeUndefined()
  })

  test('are told under the name of the gateway, with the headers and attributes of OpenTelemetry’s own variables', () => {
    expect(spanOf(streamed)?.resource).toMatchObject({ 'service.name': 'tollgate', 'deployment.environment.name': 'test' })
    expect(collector.headers[0]).toMatchObject({ 'x-team': 'core' })
  })

  test('tell nothing of what was said, and no secret', () => {
    const exportedText = JSON.stringify(collector.spans)
    expect(exportedText).not.toContain('A word that nobody')
    expect(exportedText).not.toContain(gateway.key)
  })
})

test('a collector that refuses costs the traces, and no request', async () => {
  collector.refuses = true
  const { key } = gateway
  gateway = Object.assign(await open({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces` }), { key })
  expect((await ask({ model: 'sandbox/chat' })).status).toBe(200)
  await gateway.stop()
  expect(gateway.log()).toContain('traces could not be sent')
  expect(gateway.log()).not.toContain('A word that nobody')
})
