import type { LanguagePart } from '../domain/language.ts'
import { mergeAsync } from '../domain/merge-async.ts'
import { hasAnswer, type LanguageCall, type PartsAnswer, type VendorAnswer, type WireAnswer } from '../vendors/vendor.ts'
import type { AnswerPiece } from '../wire/vendor-form.ts'

/** The answers of a vendor that was asked several times at once. All of them have begun. */
export interface PiecesAnswer {
  k: 'pieces'
  status: 200
  count: number
  pieces: AsyncIterable<AnswerPiece>
}

/** The result of a call, however many times its vendor was asked. */
export type CallAnswer = VendorAnswer | PiecesAnswer

/** A call as each of several requests gets it. */
export type FanOutCall = Omit<LanguageCall, 'ask'>
type AskFunction<Asked, A> = (asked: Asked, own: FanOutCall) => Promise<A>

/** Asks several times in a vendor's own wire. One refusal is the answer to all. */
export async function fanOutWires<Asked>(
  all: readonly Asked[],
  call: FanOutCall,
  ask: AskFunction<Asked, WireAnswer>,
): Promise<CallAnswer> {
  const answers = await askAll(all, call, ask)
  if ('k' in answers) return answers
  return {
    k: 'pieces',
    status: 200,
    count: answers.length,
    pieces: mergeAsync(answers.map(({ body }, at) => toPieces(body, at))),
  }
}

/** Asks several times through the bridge. One refusal is the answer to all. */
export async function fanOutParts<Asked>(
  all: readonly Asked[],
  call: FanOutCall,
  ask: AskFunction<Asked, VendorAnswer>,
): Promise<CallAnswer> {
  const answers = await askAll(all, call, ask)
  if ('k' in answers) return answers
  const partsAnswers = answers.filter((answer): answer is PartsAnswer => answer.k === 'parts')
  const [first] = partsAnswers
  if (!first || partsAnswers.length < answers.length) throw new Error('a bridge answered in a wire')
  const choicesPerAsk = call.choices / all.length
  return {
    ...first,
    ignored: [...new Set(partsAnswers.flatMap(({ ignored }) => ignored))],
    parts: mergeAsync(partsAnswers.map(({ parts }, at) => renumberChoices(parts, at * choicesPerAsk))),
  }
}

/** Returns all answers, or the first refusal; throws the first failure. Either one ends the other calls. */
async function askAll<Asked, A extends VendorAnswer>(
  all: readonly Asked[],
  call: FanOutCall,
  ask: AskFunction<Asked, A>,
): Promise<A[] | VendorAnswer> {
  const controllers = all.map(() => new AbortController())
  const abortAllExcept = (exceptIndex: number): void => {
    for (const [at, controller] of controllers.entries()) if (at !== exceptIndex) controller.abort()
  }
  let refused: VendorAnswer | null = null
  try {
    return await Promise.all(
      all.map(async (asked, at) => {
        const signal = AbortSignal.any([call.signal, controllers[at]?.signal ?? call.signal])
        const answer = await ask(asked, { ...call, signal, choices: call.choices / all.length })
        if (hasAnswer(answer.status)) return answer
        refused ??= answer
        abortAllExcept(at)
        throw new Error('a vendor refused')
      }),
    )
  } catch (error) {
    if (refused !== null) return refused
    abortAllExcept(-1)
    throw error
  }
}

async function* toPieces(body: AsyncIterable<Uint8Array>, at: number): AsyncGenerator<AnswerPiece> {
  for await (const bytes of body) yield { at, bytes }
}

async function* renumberChoices(parts: AsyncIterable<LanguagePart>, first: number): AsyncGenerator<LanguagePart> {
  for await (const { choice, part } of parts) yield { choice: first + choice, part }
}
