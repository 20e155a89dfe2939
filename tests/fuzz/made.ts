/** What the requests of a run are made of. */
import type { Random } from '../support/random.ts'
import { type RawRequest, requestBytes } from '../support/raw-client.ts'
import { goodBody } from './bodies.ts'

/** One connection's worth of what a client sends, and how it behaves. */
export interface FuzzRequest {
  index: number
  kind: string
  bytes: Buffer
  /** What answers come, in order; of a broken one nothing is known. */
  answers: { bodyless: boolean }[]
  /** It is no proper HTTP: the connection may be closed, with or without a word. */
  broken: boolean
  /** Milliseconds after which the client hangs up whatever comes; null for one that waits. */
  leavesAfterMs: number | null
}

/** Whom the requests speak for, and what they name. */
export interface FuzzWorld {
  seed: string
  secrets: readonly string[]
  models: readonly string[]
}

export type Header = [string, string]
/** A request, before it is known which one of its run it is. */
export type Made = Omit<FuzzRequest, 'index' | 'kind' | 'leavesAfterMs' | 'answers'> & { answers?: FuzzRequest['answers'] }

const address = (random: Random): Header => ['x-forwarded-for', `198.18.${random.integer(0, 255)}.${random.integer(1, 254)}`]

/** Who asks, from somewhere, with JSON. */
export function headersOf(random: Random, world: FuzzWorld): Header[] {
  return [['authorization', `Bearer ${random.pick(world.secrets)}`], ['content-type', 'application/json'], address(random)]
}

/** The body of a request that is served. */
export const good = (random: Random, world: FuzzWorld): string => JSON.stringify(goodBody(random, random.pick(world.models)))
/** A request that gets one answer. */
export const proper = (request: RawRequest): Made => ({
  bytes: requestBytes(request),
  broken: false,
  answers: [{ bodyless: request.method === 'HEAD' }],
})
