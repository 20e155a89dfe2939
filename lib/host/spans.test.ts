import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pino from 'pino'
import { expect, it } from 'vitest'
import type { Attempt, Settlement } from '../domain/settlement.ts'
import { NO_USAGE } from '../domain/usage.ts'
import type { EndedRequest } from '../gateway/ports.ts'
import { attributesOf, callFaultOf, faultOf } from './span-attributes.ts'
import { openSpans } from './spans.ts'

/** A finished request with nothing in it but the given fields. */
const endedOf = (item: Partial<Settlement>): EndedRequest =>
  ({
    item: { at: new Date(0), usage: NO_USAGE, trace: [], tookMs: 1, firstTokenMs: null, modelId: 'm', endpoint: 'chat', ...item },
    settled: { charged: 0n },
    calls: { startsMs: [] },
    headers: null,
  }) as unknown as EndedRequest

it('counts what waits in vain to be sent, and what cannot be', async () => {
  const answers: (() => void)[] = []
  const collector = createServer((request, response) => {
    request.resume()
    answers.push(() => response.writeHead(400).end())
  }).listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`
  process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = url
  let dropped = 0
  const spans = await openSpans(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url,
      OTEL_TRACES_SAMPLER: 'always_on',
      OTEL_TRACES_SAMPLER_ARG: 1,
    },
    pino({ level: 'silent' }),
    () => {
      dropped++
    },
  )
  delete process.env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT
  // A batch of 512 is in flight, and 2048 wait for it.
  for (let n = 0; n < 3000; n++) spans?.recordFinished(endedOf({ status: 200, outcome: 'finished' }))
  expect(dropped).toBe(3000 - 512 - 2048)
  await expect.poll(() => answers.length).toBe(1)
  answers[0]?.()
  await expect.poll(() => dropped).toBe(3000 - 2048)
  const closing = spans?.close()
  collector.closeAllConnections()
  collector.close()
  await closing
})

it('names why a request failed, and never with what was said', () => {
  const errorText = 'The model’s vendor says: "a word of yours" is not allowed.'
  const ended = (item: Partial<Settlement>) => endedOf({ errorText, errorCode: null, ...item })
  expect(faultOf(ended({ outcome: 'vendor_failed', status: 400 }))).toBeNull()
  expect(faultOf(ended({ outcome: 'vendor_failed', status: 502, errorCode: 'server_error' }))).toBe('server_error')
  expect(faultOf(ended({ outcome: 'vendor_failed', status: 429 }))).toBe('vendor_failed')
  expect(faultOf(ended({ outcome: 'cut', status: 200 }))).toBe('cut')
  expect(faultOf(ended({ outcome: 'refused', status: 404, errorCode: 'model_not_found' }))).toBeNull()
  expect(faultOf({ ...ended({ outcome: 'finished', status: 200 }), settled: null })).toBe('undelivered')
  const told = JSON.stringify(attributesOf(ended({ outcome: 'vendor_failed', status: 400, errorCode: 'invalid_request' })))
  expect(told).toContain('"error.type":"invalid_request"')
  expect(told).not.toContain('a word of yours')
})

it('names why a call failed: in our words where the vendor had said nothing', () => {
  const call = (given: Partial<Attempt>) => callFaultOf({ status: null, detail: null, ...given } as Attempt)
  expect(call({ result: 'answered', status: 200 })).toBeNull()
  expect(call({ result: 'left' })).toBeNull()
  expect(call({ result: 'failed', detail: 'ECONNREFUSED' })).toBe('ECONNREFUSED')
  expect(call({ result: 'failed', status: 200, detail: 'SyntaxError: "a word" is not valid JSON' })).toBe('failed')
})
