import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart, SharedV4Warning } from '@ai-sdk/provider'
import type { Connection } from '../../domain/catalog.ts'
import { agentOf } from '../agent.ts'
import { withVersion } from '../base-url.ts'
import { type LanguageCall, type Vendor, type VendorAnswer, VendorFailure } from '../vendor.ts'
import type { Dialect } from './dialect.ts'
import { answerOf, failureIn } from './failure.ts'
import { type GateCall, gatedFetch } from './gate.ts'
import { mergeChoices, partsOf, type StartedChoice } from './parts.ts'

type Part = LanguageModelV4StreamPart
type Options = LanguageModelV4CallOptions

/** Parts without content. Until another part comes, a failure can still be a plain error answer. */
const CONTENTLESS_PARTS = new Set<Part['type']>([
  'stream-start',
  'response-metadata',
  'text-start',
  'reasoning-start',
  'custom',
  'ping',
  'raw',
])

/** A vendor that is reached through its AI SDK provider package. */
export function createBridged(connection: Connection, dialect: Dialect): Vendor {
  const agent = agentOf(connection)
  const baseUrl = withVersion(connection.baseUrl ?? '', dialect.version)

  async function run(call: LanguageCall): Promise<VendorAnswer> {
    const { upstreamModel } = call.deployment
    // Without a base URL, a provider package would look for an address in the environment.
    if (!URL.canParse(baseUrl)) throw new VendorFailure('misconfigured', 'the connection has no base URL')
    const make = await dialect.load()
    const { options, ignored } = dialect.adapt(call.ask, upstreamModel)
    // If one choice fails, the others are no longer needed.
    const controller = new AbortController()
    const abortSignal = AbortSignal.any([call.signal, controller.signal])
    const gates: GateCall[] = Array.from({ length: call.choices }, () => ({
      ask: call.ask,
      cap: call.cap,
      ignored: [],
      sent: false,
      onSent: call.onSent,
    }))
    try {
      const started = await Promise.all(
        gates.map((gate) => {
          const fetch = gatedFetch(dialect, gate, agent, connection)
          const settings = { baseUrl, secret: connection.secret ?? '', headers: connection.headers, fetch }
          const callOptions = { ...options, maxOutputTokens: call.cap, abortSignal }
          return call.stream
            ? beginStream(make(settings, upstreamModel), callOptions)
            : generateComplete(make(settings, upstreamModel), callOptions)
        }),
      )
      const warned = warningsOf(started).map((warning) => dialect.fieldOf(warning, call.ask))
      const ignoredFields = [...call.ask.ignored, ...ignored, ...gates.flatMap((gate) => gate.ignored), ...warned]
      return {
        k: 'parts',
        status: 200,
        skills: dialect.skills(upstreamModel),
        ignored: [...new Set(ignoredFields.filter((field) => field !== null))],
        parts: mergeChoices(started.map((one) => withBilledUsage(one, dialect))),
      }
    } catch (error) {
      controller.abort()
      return answerOf(
        error,
        gates.some((gate) => gate.sent),
        dialect,
      )
    }
  }

  return {
    forward: {},
    bridge: { skills: dialect.skills, run },
    inputOverhead: dialect.inputOverhead,
    close: () => agent.destroy(),
  }
}

/** Reads a stream up to the first part with content. If that is an error, throws it. */
async function beginStream(model: LanguageModelV4, options: Options): Promise<StartedChoice> {
  const { stream } = await model.doStream(options)
  const rest = withVendorFailures(stream[Symbol.asyncIterator]())
  const read: Part[] = []
  for (;;) {
    const { value, done } = await rest.next()
    if (done) return { read, rest: null }
    if (value.type === 'error') throw value.error
    read.push(value)
    if (!CONTENTLESS_PARTS.has(value.type)) return { read, rest }
  }
}

async function generateComplete(model: LanguageModelV4, options: Options): Promise<StartedChoice> {
  return { read: partsOf(await model.doGenerate(options)), rest: null }
}

/** The same parts, with the usage that the vendor bills. */
function withBilledUsage({ read, rest }: StartedChoice, { billedUsageOf }: Dialect): StartedChoice {
  if (!billedUsageOf) return { read, rest }
  const counted = (part: Part): Part => (part.type === 'finish' ? { ...part, usage: billedUsageOf(part.usage) } : part)
  if (rest === null) return { read: read.map(counted), rest }
  const next = async () => {
    const { value, done } = await rest.next()
    return done ? { value: undefined, done } : { value: counted(value), done: false as const }
  }
  return { read: read.map(counted), rest: { ...rest, next } }
}

/** The same parts, but what they throw becomes a VendorFailure. */
function withVendorFailures(parts: AsyncIterator<Part>): AsyncIterator<Part> {
  return {
    next: () =>
      parts.next().catch((error: unknown) => {
        throw failureIn(error)
      }),
    return: async () => (await parts.return?.()) ?? { value: undefined, done: true },
  }
}

function warningsOf(started: readonly StartedChoice[]): SharedV4Warning[] {
  return started.flatMap(({ read }) => read.flatMap((part) => (part.type === 'stream-start' ? part.warnings : [])))
}
