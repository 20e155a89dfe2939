import type { LanguageModelV4CallOptions } from '@ai-sdk/provider'

/**
 * The options without stop sequences of white space alone. Claude refuses a request that has one (`each stop sequence must
 * contain non-whitespace`), such as the line breaks at which evaluations and completions of single lines end.
 */
export function withoutBlankStops(options: LanguageModelV4CallOptions): {
  options: LanguageModelV4CallOptions
  ignored: string[]
} {
  const { stopSequences: all = [], ...rest } = options
  const stopSequences = all.filter((sequence) => sequence.trim() !== '')
  if (stopSequences.length === all.length) return { options, ignored: [] }
  return { options: stopSequences.length === 0 ? rest : { ...rest, stopSequences }, ignored: ['stop'] }
}
