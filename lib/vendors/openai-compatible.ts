import type { Connection } from '../domain/catalog.ts'
import { valuesOf } from '../domain/form.ts'
import type { WireId } from '../domain/wire-id.ts'
import { agentOf } from './agent.ts'
import { correctStatus } from './correct-status.ts'
import { CACHE_MARK, withoutCacheMarks } from './native/cache-marks.ts'
import { type Dialect, droppedFields, FORM_WIRES, formWithUpstreamModel, JSON_WIRES, type Wire } from './openai-wires.ts'
import { withStreamFallback } from './stream-only.ts'
import { postForm, postJson, type Target, targetOf } from './upstream.ts'
import {
  type Fields,
  type Forward,
  type ForwardCall,
  type RefusedParameter,
  type Vendor,
  VendorFailure,
  type WireAnswer,
} from './vendor.ts'
import { createWireVideos } from './video-wire.ts'

/** Makes a vendor that speaks OpenAI's own wires. Requests and answers are forwarded as they are. */
export function createOpenAiCompatible(connection: Connection, dialect: Dialect): Vendor {
  const agent = agentOf(connection)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'tollgate',
    // Without this any coding would be allowed, and none is decoded here.
    'accept-encoding': 'identity',
    ...connection.headers,
    ...(connection.secret === null ? {} : (dialect.credential ?? bearer)(connection.secret)),
  }
  const streamHeaders = { ...headers, accept: 'text/event-stream' }

  /** Where requests to a path go. Computed once if all models share it. */
  function targetsOf(path: string): (upstreamModel: string) => Target {
    const { target } = dialect
    const baseUrl = connection.baseUrl ?? ''
    if (target) return (upstreamModel) => target(baseUrl, path, upstreamModel)
    const shared = targetOf(baseUrl, path)
    return () => shared
  }

  function forwardJson(id: string, wire: Wire): Forward {
    const target = targetsOf(wire.path)
    const isChat = id === 'openai.chat'
    const post = async (call: ForwardCall): Promise<WireAnswer> => {
      const { upstreamModel } = call.deployment
      const outgoing = wire.outgoing(call, dialect)
      // The last check before the request is sent: it may not ask for more than the hold covers.
      const cap = wire.capOf(outgoing, dialect)
      if (cap > call.cap * call.choices)
        throw new VendorFailure('over_cap', `the outgoing request asks for ${cap} tokens, held are ${call.cap * call.choices}`)
      const events = call.stream && (wire.events?.(outgoing) ?? true)
      const requestHeaders = events ? streamHeaders : headers
      return await postJson(agent, target(upstreamModel), requestHeaders, JSON.stringify(outgoing), call)
    }
    const ask = isChat ? withStreamFallback(post, dialect.streamsOnly) : post
    return async (call) => {
      if (dialect.unsold?.models.test(call.deployment.upstreamModel)) throw new VendorFailure('misconfigured', dialect.unsold.why)
      // The whole request is searched, so only once: another object says that there were marks.
      const body = isChat && dialect.noCacheMarks ? withoutCacheMarks(call.body) : call.body
      const hasMarks = body !== call.body
      const answer = await ask(hasMarks ? { ...call, body } : call)
      const ignored = isChat ? droppedOf(call.body, dialect) : []
      if (hasMarks) ignored.push(CACHE_MARK)
      return correctStatus(ignored.length === 0 ? answer : { ...answer, ignored }, dialect.statusCorrections)
    }
  }

  function forwardForm(path: string): Forward {
    const target = targetsOf(path)
    return async (call) => {
      const { form, deployment } = call
      if (!form) throw new VendorFailure('misconfigured', `${path} takes a form`)
      const outgoing = formWithUpstreamModel(form, deployment.upstreamModel)
      const events = valuesOf(outgoing, 'stream').includes('true')
      const requestHeaders = events ? streamHeaders : headers
      return correctStatus(
        await postForm(agent, target(deployment.upstreamModel), requestHeaders, outgoing, call),
        dialect.statusCorrections,
      )
    }
  }

  const forwards = [
    ...Object.entries(JSON_WIRES).map(([id, wire]) => [id, forwardJson(id, wire)] as const),
    ...Object.entries(FORM_WIRES).map(([id, path]) => [id, forwardForm(path)] as const),
  ]
  return {
    forward: Object.fromEntries(forwards.filter(([id]) => !dialect.unsupportedWires.includes(id as WireId))),
    ...(dialect.refuses || dialect.inspect || dialect.separatelyBilledFields
      ? { findRefusedParameter: (wire, body) => findRefusedParameter(wire, body, dialect) }
      : {}),
    ...(dialect.videos ? { videos: createWireVideos(connection, agent, headers, dialect.videos) } : {}),
    inputOverhead: dialect.inputOverhead,
    close: () => agent.destroy(),
  }
}

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` })

/** The request's fields that the vendor did not get. Null and 0 ask for nothing, and are not listed. */
const droppedOf = (body: Fields, dialect: Dialect): string[] =>
  droppedFields(body, dialect).filter((field) => body[field] !== undefined && body[field] !== null && body[field] !== 0)

const BILLED_SEPARATELY_MESSAGE = 'It starts something that is billed separately and has no price here. Leave it out.'

function findRefusedParameter(
  wire: WireId,
  body: Fields,
  { refuses = [], inspect, separatelyBilledFields = [] }: Dialect,
): RefusedParameter | null {
  const billedSeparately = separatelyBilledFields.find((field) => body[field] != null)
  if (billedSeparately !== undefined) return { param: billedSeparately, message: BILLED_SEPARATELY_MESSAGE }
  if (wire !== 'openai.chat') return null
  const found = refuses.find(({ field, when = always }) => body[field] != null && when(body[field]))
  return found ? { param: found.field, message: found.message } : (inspect?.(body) ?? null)
}

const always = (): boolean => true
