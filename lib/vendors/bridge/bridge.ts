import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart, SharedV4Warning } from '@ai-sdk/provider'
import type { Connection } from '../../domain/catalog.ts'
import { agentOf } from '../agent.ts'
import { withVersion } from '../base-url.ts'
import { type LanguageCall, type Vendor, type VendorAnswer, VendorFailure } from '../vendor.ts'
import type { Dialect } from './dialect.ts'
import { answerOf, failureIn } from './failure.ts'
import { type GateCall, gatedFetch } from './gate.ts'
import { type Begun, mergeChoices, partsOf } from './parts.ts'

type Part = LanguageModelV4StreamPart
type Options = LanguageModelV4CallOptions

/** Parts without content. Until another part comes, a failure can still be a plain error answer. */
const SILENT = new Set<Part['type']>(['stream-start', 'response-metadata', 'custom', 'ping', 'raw'])

/** A vendor that is reached through its AI SDK provider package. */
export function bridged(connection: Connection, dialect: Dialect): Vendor {
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
      sending: call.sending,
    }))
    try {
      const begun = await Promise.all(
        gates.map((gate) => {
          const fetch = gatedFetch(dialect, gate, agent, connection)
          const settings = { baseUrl, secret: connection.secret ?? '', headers: connection.headers, fetch }
          const asked = { ...options, maxOutputTokens: call.cap, abortSignal }
          return call.stream ? beginStream(make(settings, upstreamModel), asked) : askWhole(make(settings, upstreamModel), asked)
        }),
      )
      const warned = warningsOf(begun).map((warning) => dialect.fieldOf(warning, call.ask))
      const left = [...call.ask.ignored, ...ignored, ...gates.flatMap((gate) => gate.ignored), ...warned]
      return {
        k: 'parts',
        status: 200,
        skills: dialect.skills(upstreamModel),
        ignored: [...new Set(left.filter((field) => field !== null))],
        parts: mergeChoices(begun.map((one) => billedBy(one, dialect))),
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
async function beginStream(model: LanguageModelV4, options: Options): Promise<Begun> {
  const { stream } = await model.doStream(options)
  const rest = failing(stream[Symbol.asyncIterator]())
  const read: Part[] = []
  for (;;) {
    const { value, done } = await rest.next()
    if (done) return { read, rest: null }
    if (value.type === 'error') throw value.error
    read.push(value)
    if (!SILENT.has(value.type)) return { read, rest }
  }
}

async function askWhole(model: LanguageModelV4, options: Options): Promise<Begun> {
  return { read: partsOf(await model.doGenerate(options)), rest: null }
}

/** The same parts, with the usage that the vendor bills. */
function billedBy({ read, rest }: Begun, { billed }: Dialect): Begun {
  if (!billed) return { read, rest }
  const counted = (part: Part): Part => (part.type === 'finish' ? { ...part, usage: billed(part.usage) } : part)
  if (rest === null) return { read: read.map(counted), rest }
  const next = async () => {
    const { value, done } = await rest.next()
    return done ? { value: undefined, done } : { value: counted(value), done: false as const }
  }
  return { read: read.map(counted), rest: { ...rest, next } }
}

/** The same parts, but what they throw becomes a VendorFailure. */
function failing(parts: AsyncIterator<Part>): AsyncIterator<Part> {
  return {
    next: () =>
      parts.next().catch((error: unknown) => {
        throw failureIn(error)
      }),
    return: async () => (await parts.return?.()) ?? { value: undefined, done: true },
  }
}

function warningsOf(begun: readonly Begun[]): SharedV4Warning[] {
  return begun.flatMap(({ read }) => read.flatMap((part) => (part.type === 'stream-start' ? part.warnings : [])))
}
