import type { Connection } from '../../domain/catalog.ts'
import { singleChunk } from '../../domain/single-chunk.ts'
import type { WireId } from '../../domain/wire-id.ts'
import { agentOf } from '../agent.ts'
import { withVersion } from '../base-url.ts'
import type { ProviderSettings } from '../bridge/dialect.ts'
import { answerOf } from '../bridge/failure.ts'
import {
  type Fields,
  type Forward,
  type ForwardCall,
  type RefusedParameter,
  type Vendor,
  VendorFailure,
  type WireAnswer,
} from '../vendor.ts'
import { embed } from './embed.ts'
import { editImages, makeImages } from './make-images.ts'
import type { MediaDialect } from './media-dialect.ts'
import { type MediaCall, mediaFetch } from './media-gate.ts'
import type { CreateModels, MediaHandler } from './media-result.ts'
import { findRefusedSpeechField, speak } from './speak.ts'
import { transcribe } from './transcribe.ts'
import { createBridgedVideos } from './videos.ts'

const HANDLERS: Readonly<Record<string, readonly [WireId, MediaHandler]>> = {
  image: ['openai.images', makeImages],
  edits: ['openai.image-edits', editImages],
  speech: ['openai.speech', speak],
  transcription: ['openai.transcriptions', transcribe],
  embedding: ['openai.embeddings-of-texts', embed],
}

const REFUSALS: Partial<Record<WireId, (body: Fields, dialect: MediaDialect) => RefusedParameter | null>> = {
  'openai.speech': findRefusedSpeechField,
}

/**
 * A vendor of images, sounds, vectors or videos that is reached through its AI SDK provider package. Requests and answers are in
 * OpenAI's wires. Its results are complete, not streamed, so that rewriting them loses nothing.
 */
export function createMediaBridged(
  connection: Connection,
  dialect: MediaDialect,
): Pick<Vendor, 'forward' | 'findRefusedParameter' | 'videos' | 'close'> {
  const agent = agentOf(connection)
  const baseUrl = withVersion(connection.baseUrl ?? '', dialect.version)

  const settingsOf = (call: MediaCall): ProviderSettings => {
    if (!URL.canParse(baseUrl)) throw new VendorFailure('misconfigured', 'the connection has no base URL')
    const fetch = mediaFetch(dialect, baseUrl, call, agent)
    return { baseUrl, secret: connection.secret ?? '', headers: connection.headers, fetch }
  }

  const forwardWith =
    (handler: MediaHandler): Forward =>
    async (call) => {
      const make = await dialect.load()
      const calls: MediaCall[] = []
      const models: CreateModels = () => {
        const one: MediaCall = { posted: 0, status: null, onSent: call.onSent }
        calls.push(one)
        return make(settingsOf(one))
      }
      try {
        const { type, body, ignored } = await handler(models, call, dialect)
        return { k: 'wire', status: 200, headers: { 'content-type': type }, body: singleChunk(body), ignored }
      } catch (error) {
        return toErrorAnswer(
          error,
          calls.some(({ posted }) => posted > 0),
          call,
          dialect,
        )
      }
    }

  const forwards = dialect.skills.flatMap((skill) => {
    const [wire, handler] = HANDLERS[skill] ?? []
    return wire && handler ? [[wire, forwardWith(handler)] as const] : []
  })
  return {
    forward: Object.fromEntries(forwards),
    ...(dialect.skills.includes('video')
      ? { videos: createBridgedVideos(async (call) => (await dialect.load())(settingsOf(call)), dialect) }
      : {}),
    findRefusedParameter: (wire, body) => REFUSALS[wire]?.(body, dialect) ?? null,
    close: () => agent.destroy(),
  }
}

/** One vendor made of two: the wires of the second are added to those of the first. */
export function combineVendors(first: Vendor, second: ReturnType<typeof createMediaBridged>): Vendor {
  return {
    ...first,
    forward: { ...first.forward, ...second.forward },
    ...(second.videos ? { videos: second.videos } : {}),
    findRefusedParameter: (wire, body) =>
      (second.forward[wire] ? second.findRefusedParameter?.(wire, body) : first.findRefusedParameter?.(wire, body)) ?? null,
    close: async () => {
      await Promise.all([first.close?.(), second.close?.()])
    },
  }
}

/** Turns what a package threw into an error answer, or throws a VendorFailure. The package's own plain errors are not a cut. */
function toErrorAnswer(error: unknown, sent: boolean, { signal }: ForwardCall, dialect: MediaDialect): WireAnswer {
  const { name, statusCode, code } = (error ?? {}) as { name?: unknown; statusCode?: unknown; code?: unknown }
  const isPlain = name === 'Error' && statusCode === undefined && code === undefined && (error as Error).cause === undefined
  if (sent && isPlain && !signal.aborted) throw new VendorFailure('unreadable', 'the vendor could not make it')
  return answerOf(error, sent, { correctError: dialect.correctError ?? ((answer) => answer) })
}
