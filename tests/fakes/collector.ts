import { createServer } from 'node:http'
import { listen } from './listen.ts'

/** A span as it arrived over OTLP, with times in milliseconds since 1970. */
export interface CollectedSpan {
  resource: Record<string, unknown>
  traceId: string
  spanId: string
  parentId: string
  name: string
  kind: number
  startMs: number
  endMs: number
  attributes: Record<string, unknown>
  events: string[]
  /** A code of 2 is an error. */
  status: { code: number; message: string }
}

/** A fake collector of traces. */
export interface Collector {
  readonly url: string
  readonly spans: CollectedSpan[]
  /** The headers of each delivery. */
  readonly headers: Record<string, unknown>[]
  /** While true, deliveries are refused permanently. */
  refuses: boolean
  close(): Promise<void>
}

type Field = { field: number; value: bigint | Buffer }

/** The fields of a Protocol Buffers message. https://protobuf.dev/programming-guides/encoding */
function fieldsOf(bytes: Buffer): Field[] {
  const fields: Field[] = []
  let at = 0
  const varint = (): bigint => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = BigInt(bytes[at++] ?? 0)
      value |= (byte & 127n) << shift
      if (byte < 128n) return value
    }
  }
  const take = (length: number): Buffer => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = varint()
    const [field, wire] = [Number(tag >> 3n), Number(tag & 7n)]
    if (wire === 0) fields.push({ field, value: varint() })
    else if (wire === 1) fields.push({ field, value: take(8) })
    else if (wire === 2) fields.push({ field, value: take(Number(varint())) })
    else if (wire === 5) fields.push({ field, value: take(4) })
    else throw new Error(`no wire type ${wire}`)
  }
  return fields
}

/** The messages, texts and numbers with a given field number. */
const all = (fields: Field[], wanted: number): Buffer[] =>
  fields.filter(({ field }) => field === wanted).map(({ value }) => value as Buffer)
const text = (fields: Field[], wanted: number): string => all(fields, wanted)[0]?.toString() ?? ''
const hex = (fields: Field[], wanted: number): string => all(fields, wanted)[0]?.toString('hex') ?? ''
const millis = (fields: Field[], wanted: number): number => Number(all(fields, wanted)[0]?.readBigUInt64LE() ?? 0n) / 1e6
const int = (fields: Field[], wanted: number): number => Number(fields.find(({ field }) => field === wanted)?.value ?? 0n)

function anyValueOf(bytes: Buffer): unknown {
  const [{ field, value } = { field: 0, value: 0n }] = fieldsOf(bytes)
  if (field === 1) return String(value)
  if (field === 2) return value === 1n
  if (field === 3) return Number(BigInt.asIntN(64, value as bigint))
  if (field === 4) return (value as Buffer).readDoubleLE()
  return field === 5 ? all(fieldsOf(value as Buffer), 1).map(anyValueOf) : null
}

const attributesOf = (pairs: Buffer[]): Record<string, unknown> =>
  Object.fromEntries(
    pairs.map((pair) => {
      const fields = fieldsOf(pair)
      return [text(fields, 1), anyValueOf(all(fields, 2)[0] ?? Buffer.alloc(0))]
    }),
  )

function spanOf(bytes: Buffer, resource: Record<string, unknown>): CollectedSpan {
  const fields = fieldsOf(bytes)
  const status = fieldsOf(all(fields, 15)[0] ?? Buffer.alloc(0))
  return {
    resource,
    traceId: hex(fields, 1),
    spanId: hex(fields, 2),
    parentId: hex(fields, 4),
    name: text(fields, 5),
    kind: int(fields, 6),
    startMs: millis(fields, 7),
    endMs: millis(fields, 8),
    attributes: attributesOf(all(fields, 9)),
    events: all(fields, 11).map((event) => text(fieldsOf(event), 2)),
    status: { code: int(status, 3), message: text(status, 2) },
  }
}

/** The spans of an ExportTraceServiceRequest. https://github.com/open-telemetry/opentelemetry-proto */
const spansOf = (bytes: Buffer): CollectedSpan[] =>
  all(fieldsOf(bytes), 1).flatMap((group) => {
    const fields = fieldsOf(group)
    const resource = attributesOf(all(fieldsOf(all(fields, 1)[0] ?? Buffer.alloc(0)), 1))
    return all(fields, 2).flatMap((scope) => all(fieldsOf(scope), 2).map((span) => spanOf(span, resource)))
  })

/** Starts the collector on its own port. */
export async function startCollector(): Promise<Collector> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    if (collector.refuses) return void response.writeHead(400).end()
    if (request.url !== '/v1/traces') return void response.writeHead(404).end()
    collector.headers.push(request.headers)
    collector.spans.push(...spansOf(Buffer.concat(chunks)))
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  })
  const { origin, close } = await listen(server)
  const collector: Collector = {
    url: origin,
    spans: [],
    headers: [],
    refuses: false,
    close,
  }
  return collector
}
