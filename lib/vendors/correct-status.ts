import type { MaybePromise } from '../domain/maybe-promise.ts'
import { readFirstBytes } from '../domain/read-first-bytes.ts'
import { singleChunk } from '../domain/single-chunk.ts'
import type { StatusCorrection } from './openai-wires.ts'
import type { WireAnswer } from './vendor.ts'

const MAX_ERROR_BYTES = 64 * 1024

/**
 * Makes a pattern that finds an error whose message begins with `words` (itself a pattern, in lower case). Only the beginning
 * counts, because the rest of a message may quote the request. Otherwise a client could fake the state of the operator's account
 * and have a deployment taken out for everybody.
 */
export const messageBegins = (words: string): RegExp => new RegExp(`"(?:error|message)":\\s*"(?:${words})`, 'i')

/** The answer with the status that it really means. Only error answers whose status can mean another one are read. */
export function correctStatus(answer: WireAnswer, rules: readonly StatusCorrection[] | undefined): MaybePromise<WireAnswer> {
  const candidates = rules?.filter(({ status }) => status === answer.status) ?? []
  return candidates.length === 0 ? answer : applyCorrections(answer, candidates)
}

async function applyCorrections(answer: WireAnswer, candidates: readonly StatusCorrection[]): Promise<WireAnswer> {
  const { text, replayable } = await readError(answer)
  const rule = candidates.find(({ says }) => says.test(text))
  return { ...replayable, status: rule?.means ?? answer.status }
}

/** The text of an error answer (at most 64 KiB), and the answer with a body that can be read again. */
export async function readError(answer: WireAnswer): Promise<{ text: string; replayable: WireAnswer }> {
  const bytes = await readFirstBytes(answer.body, MAX_ERROR_BYTES)
  return { text: bytes.toString('utf8'), replayable: { ...answer, body: singleChunk(bytes) } }
}
