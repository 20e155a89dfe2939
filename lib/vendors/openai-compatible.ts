import type { Connection } from '../domain/catalog.ts'
import { valuesOf } from '../domain/form.ts'
import type { WireId } from '../domain/wire-id.ts'
import { agentOf } from './agent.ts'
import { meant } from './misstated.ts'
import { type Dialect, FORM_WIRES, JSON_WIRES, renamedForm, type Wire } from './openai-wires.ts'
import { inStreams } from './stream-only.ts'
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
import { wireVideos } from './video-wire.ts'

/** Makes a vendor that speaks OpenAI's own wires. Requests and answers are forwarded as they are. */
export function openAiCompatible(connection: Connection, dialect: Dialect): Vendor {
  const agent = agentOf(connection)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'tollgate',
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
    const chats = id === 'openai.chat'
    const post = async (call: ForwardCall): Promise<WireAnswer> => {
      const { upstreamModel } = call.deployment
      const outgoing = wire.outgoing(call, dialect)
      // The last check before the request is sent: it may not ask for more than the hold covers.
      const cap = wire.capOf(outgoing, dialect)
      if (cap > call.cap * call.choices)
        throw new VendorFailure('over_cap', `the outgoing request asks for ${cap} tokens, held are ${call.cap * call.choices}`)
      const events = call.stream && (wire.events?.(outgoing) ?? true)
      const sent = events ? streamHeaders : headers
      return await postJson(agent, target(upstreamModel), sent, JSON.stringify(outgoing), call)
    }
    const ask = chats ? inStreams(post, dialect.streamsOnly) : post
    return async (call) => {
      if (dialect.unsold?.models.test(call.deployment.upstreamModel)) throw new VendorFailure('misconfigured', dialect.unsold.why)
      const answer = await ask(call)
      const ignored = chats ? droppedOf(call.body, dialect) : []
      return meant(ignored.length === 0 ? answer : { ...answer, ignored }, dialect.misstates)
    }
  }

  function forwardForm(path: string): Forward {
    const target = targetsOf(path)
    return async (call) => {
      const { form, deployment } = call
      if (!form) throw new VendorFailure('misconfigured', `${path} takes a form`)
      const outgoing = renamedForm(form, deployment.upstreamModel)
      const events = valuesOf(outgoing, 'stream').includes('true')
      const sent = events ? streamHeaders : headers
      return meant(await postForm(agent, target(deployment.upstreamModel), sent, outgoing, call), dialect.misstates)
    }
  }

  const forwards = [
    ...Object.entries(JSON_WIRES).map(([id, wire]) => [id, forwardJson(id, wire)] as const),
    ...Object.entries(FORM_WIRES).map(([id, path]) => [id, forwardForm(path)] as const),
  ]
  return {
    forward: Object.fromEntries(forwards.filter(([id]) => !dialect.lacks.includes(id as WireId))),
    ...(dialect.refuses || dialect.inspect || dialect.billsApart
      ? { refuses: (wire, body) => refusedIn(wire, body, dialect) }
      : {}),
    ...(dialect.videos ? { videos: wireVideos(connection, agent, headers, dialect.videos) } : {}),
    inputOverhead: dialect.inputOverhead,
    close: () => agent.destroy(),
  }
}

const bearer = (secret: string): Record<string, string> => ({ authorization: `Bearer ${secret}` })

/** The request's fields that the vendor did not get. Null and 0 ask for nothing, and are not listed. */
const droppedOf = (body: Fields, { drops = [] }: Dialect): string[] =>
  drops.filter((field) => body[field] !== undefined && body[field] !== null && body[field] !== 0)

const BILLED_APART = 'It starts something that is billed separately and has no price here. Leave it out.'

function refusedIn(wire: WireId, body: Fields, { refuses = [], inspect, billsApart = [] }: Dialect): RefusedParameter | null {
  const apart = billsApart.find((field) => body[field] != null)
  if (apart !== undefined) return { param: apart, message: BILLED_APART }
  if (wire !== 'openai.chat') return null
  const found = refuses.find(({ field, when = isGiven }) => body[field] != null && when(body[field]))
  return found ? { param: found.field, message: found.message } : (inspect?.(body) ?? null)
}

const isGiven = (): boolean => true
