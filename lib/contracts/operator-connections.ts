/** Shapes of connections to vendors: what operators configure, and the result of testing one. */
import { z } from 'zod'
import { count, pageSchema, singleLine, time } from './common.ts'
import { operatorId as id, concurrencyLimitInput as places, expectedVersion as version } from './operator.ts'

/** The bounds of a connection's timeouts. */
export const TIMEOUT_MS = { least: 100, most: 3_600_000 } as const
const milliseconds = z.number().int().min(TIMEOUT_MS.least).max(TIMEOUT_MS.most)

const httpUrl = z.url({ protocol: /^https?$/, error: 'Enter an address that begins with http:// or https://.' }).max(500)
/** Headers that determine where a request ends or where its connection leads. Nobody may add them. */
const RESERVED_HEADERS = new Set([
  'connection',
  'content-length',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const headerName = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, { error: 'This is not a valid header name.' })
  .refine((name) => !RESERVED_HEADERS.has(name.toLowerCase()), { error: 'The gateway sets this header itself.' })
const headerValue = z
  .string()
  .max(4000)
  .regex(/^[\t\x20-\x7e]*$/, { error: 'A header value must be plain characters on one line.' })
const credentials = z.record(z.string().max(60), z.string().trim().max(20_000))

const connectionFields = {
  name: singleLine(60).regex(/^[\p{L}\p{N}]/u, { error: 'A name must begin with a letter or a digit.' }),
  baseUrl: httpUrl.nullable(),
  /** Null keeps the value that a header has. */
  headers: z.record(headerName, headerValue.nullable()),
  proxy: httpUrl.nullable(),
  connectTimeoutMs: milliseconds,
  headersTimeoutMs: milliseconds,
  idleTimeoutMs: milliseconds,
  /** The most requests in flight in one process; null for no limit. */
  concurrency: places,
}

/** POST /api/operator/connections */
export const createConnectionInput = z.strictObject({
  ...connectionFields,
  kind: z.string().min(1).max(60),
  credentials: credentials.default({}),
  baseUrl: connectionFields.baseUrl.default(null),
  headers: connectionFields.headers.default({}),
  proxy: connectionFields.proxy.default(null),
  connectTimeoutMs: milliseconds.default(5000),
  headersTimeoutMs: milliseconds.default(120_000),
  idleTimeoutMs: milliseconds.default(120_000),
  concurrency: places.default(null),
})
export type CreateConnectionInput = z.infer<typeof createConnectionInput>

/** PATCH /api/operator/connections/{id}: what is not named stays as it is. Credentials are replaced as a whole. */
export const updateConnectionInput = z
  .strictObject({ ...connectionFields, credentials })
  .partial()
  .extend({ id, version, archived: z.literal(false).optional() })
export type UpdateConnectionInput = z.infer<typeof updateConnectionInput>

export const connectionRow = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string(),
  baseUrl: z.string().nullable(),
  /** Whether credentials are stored. They never leave the gateway. */
  hasSecret: z.boolean(),
  headerNames: z.array(z.string()),
  /** Host and port only, because a proxy's address may contain a password. */
  proxyHost: z.string().nullable(),
  connectTimeoutMs: count,
  headersTimeoutMs: count,
  idleTimeoutMs: count,
  concurrency: count.nullable(),
  deployments: count,
  /** How many of its deployments a running gateway leaves out because they failed too often. */
  failing: count,
  version: count,
  archivedAt: time.nullable(),
  createdAt: time,
})
export type ConnectionRow = z.infer<typeof connectionRow>
export const connectionPage = pageSchema(connectionRow)

/** GET /api/operator/connections/{id} */
export const connectionDetail = connectionRow.extend({
  /** The models that no other connection runs. */
  soleModels: z.array(z.string()),
})
export type ConnectionDetail = z.infer<typeof connectionDetail>

/** Why a vendor could not be asked. */
export const probeReason = z.enum([
  'dns',
  'refused',
  'unreachable',
  'tls',
  'timeout',
  'credentials',
  'forbidden',
  'path',
  'limited',
  'vendor',
  'unreadable',
  'proxy',
  'unlisted',
  'model',
])
export type ProbeReason = z.infer<typeof probeReason>

/** POST /api/operator/connections/{id}/test */
export const probeResult = z.discriminatedUnion('ok', [
  /** `chat` is the model that was asked for a token because there was no list to ask for. */
  z.object({ ok: z.literal(true), tookMs: z.number(), models: count, chat: z.string().nullable() }),
  z.object({ ok: z.literal(false), tookMs: z.number(), reason: probeReason, message: z.string() }),
])
export type ProbeView = z.infer<typeof probeResult>
