import type { TextItem } from '../text-input.ts'
import type { CompletionsBody } from './schema.ts'

/** One of the texts to continue. */
export interface Prompt {
  item: TextItem
  /** Null if it arrived as tokens that were not decoded, or that are not text. */
  text: string | null
  /** Its path in the request. */
  path: string
}

export interface PreparedCompletions {
  body: CompletionsBody
  prompts: Prompt[]
  /** The maximum number of input tokens. */
  inputBound: number
}

/** How many answers each prompt gets. */
export const choicesOf = ({ n }: CompletionsBody): number => n ?? 1

/** What a choice begins with, by its index: its prompt if that is echoed, otherwise an empty text. */
export const echoOf =
  ({ body, prompts }: PreparedCompletions) =>
  (index: number): string =>
    body.echo ? (prompts[Math.floor(index / choicesOf(body))]?.text ?? '') : ''
