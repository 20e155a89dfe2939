import type { LanguageModelV4Content, LanguageModelV4GenerateResult, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import type { LanguagePart } from '../../domain/language.ts'
import { mergeAsync } from '../../domain/merge-async.ts'

type Part = LanguageModelV4StreamPart

/** A non-streaming answer as the parts that its stream would have had. */
export function partsOf(result: LanguageModelV4GenerateResult): Part[] {
  const { usage, finishReason, providerMetadata } = result
  return [
    { type: 'stream-start', warnings: result.warnings },
    ...result.content.flatMap((content, index) => contentParts(content, String(index))),
    { type: 'finish', usage, finishReason, ...(providerMetadata ? { providerMetadata } : {}) },
  ]
}

function contentParts(content: LanguageModelV4Content, id: string): Part[] {
  if (content.type !== 'text' && content.type !== 'reasoning') return [content]
  const meta = content.providerMetadata ? { providerMetadata: content.providerMetadata } : {}
  return [
    { type: `${content.type}-start`, id, ...meta },
    { type: `${content.type}-delta`, id, delta: content.text, ...meta },
    // Citations stand at the end of a text; signatures count once.
    { type: `${content.type}-end`, id, ...(content.type === 'text' ? meta : {}) },
  ]
}

/** The parts of one choice: those that were already read, then the rest. */
async function* partsOfChoice(
  choice: number,
  read: readonly Part[],
  rest: AsyncIterator<Part> | null,
): AsyncGenerator<LanguagePart> {
  try {
    for (const part of read) yield { choice, part }
    if (rest === null) return
    for (;;) {
      const { value, done } = await rest.next()
      if (done) return
      yield { choice, part: value }
    }
  } finally {
    await rest?.return?.()
  }
}

/** An answer that has begun. */
export interface StartedChoice {
  read: readonly Part[]
  rest: AsyncIterator<Part> | null
}

/** Merges all choices into one sequence, in the order in which their parts arrive. */
export function mergeChoices(choices: readonly StartedChoice[]): AsyncIterable<LanguagePart> {
  const [only] = choices
  if (only && choices.length === 1) return partsOfChoice(0, only.read, only.rest)
  return mergeAsync(choices.map(({ read, rest }, index) => partsOfChoice(index, read, rest)))
}
