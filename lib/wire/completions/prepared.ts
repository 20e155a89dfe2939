import type { TextItem } from '../text-input.ts'
import type { CompletionsBody } from './schema.ts'

/** One of the texts to continue. */
export interface Prompt {
  item: TextItem
  /** Null where it came as tokens that were not decoded, or are none. */
  text: string | null
  /** Where it stands in the request. */
  path: string
}

export interface PreparedCompletions {
  body: CompletionsBody
  prompts: Prompt[]
  /** Tokens of input at most. */
  inputBound: number
}

/** How many answers each prompt gets. */
export const choicesOf = ({ n }: CompletionsBody): number => n ?? 1

/** What a choice begins with, by its index: its prompt where that is to come back, else nothing. */
export const echoOf =
  ({ body, prompts }: PreparedCompletions) =>
  (index: number): string =>
    body.echo ? (prompts[Math.floor(index / choicesOf(body))]?.text ?? '') : ''
