/** The building blocks of a run's requests. */
import type { Random } from '../support/random.ts'
import { type RawRequest, requestBytes } from '../support/raw-client.ts'
import { validBody } from './bodies.ts'

/** What a client sends over one connection, and how it behaves. */
export interface FuzzRequest {
  index: number
  kind: string
  bytes: Buffer
  /** The expected answers, in order. For a broken request nothing is known. */
  answers: { bodyless: boolean }[]
  /** True if it is not proper HTTP: the connection may be closed, with or without an answer. */
  broken: boolean
  /** Milliseconds after which the client disconnects whatever comes, or null if it waits. */
  leavesAfterMs: number | null
}

/** The keys with which requests are sent, and the models that they name. */
export interface FuzzWorld {
  seed: string
  secrets: readonly string[]
  models: readonly string[]
}

export type Header = [string, string]
/** A request before its position in the run is known. */
export type RequestDraft = Omit<FuzzRequest, 'index' | 'kind' | 'leavesAfterMs' | 'answers'> & {
  answers?: FuzzRequest['answers']
}

const clientAddressHeader = (random: Random): Header => [
  'x-forwarded-for',
  `198.18.${random.integer(0, 255)}.${random.integer(1, 254)}`,
]

/** Headers with a key, a client address and the content type JSON. */
export function headersOf(random: Random, world: FuzzWorld): Header[] {
  return [
    ['authorization', `Bearer ${random.pick(world.secrets)}`],
    ['content-type', 'application/json'],
    clientAddressHeader(random),
  ]
}

/** The body of a valid chat request. */
export const validChatBody = (random: Random, world: FuzzWorld): string =>
  JSON.stringify(validBody(random, random.pick(world.models)))
/** A request that gets one answer. */
export const validRequest = (request: RawRequest): RequestDraft => ({
  bytes: requestBytes(request),
  broken: false,
  answers: [{ bodyless: request.method === 'HEAD' }],
})
