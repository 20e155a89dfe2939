import { ChoiceFold } from '../choice-fold.ts'
import type { JsonObject, JsonValue } from '../json.ts'

interface Choice {
  text: string[]
  chars: number
  finishReason: string | null
}

/** Folds the chunks of streamed completions into the whole form, for history and for counting. */
export class CompletionFold extends ChoiceFold<Choice> {
  readonly #echo: (index: number) => string
  readonly #thoughts: string[] = []

  /** True once the model has said something. An echoed prompt does not count. */
  started = false

  /** `echo` is the text that each choice begins with. */
  constructor(echo: (index: number) => string) {
    super()
    this.#echo = echo
  }

  addContent(index: number, piece: string): void {
    this.addPart({ index, text: piece })
  }

  /** Takes reasoning, which is generated but not shown. */
  addReasoning(text: string): void {
    if (text !== '') this.started = true
    this.keep(this.#thoughts, text)
  }

  /** Everything that was generated, for counting. */
  text(): string {
    const said = [...this.choices].map(([index, { text }]) => withoutEcho(text.join(''), this.#echo(index)))
    return this.#thoughts.join('') + said.join('') + this.placeholder
  }

  toAnswerJson(model: string): JsonValue {
    return this.wholeJson('text_completion', model, ({ text }) => ({ text: text.join('') }))
  }

  protected createChoice(): Choice {
    return { text: [], chars: 0, finishReason: null }
  }

  protected extend(choice: Choice, { text }: JsonObject, index: number): void {
    if (typeof text !== 'string' || text === '') return
    choice.chars += text.length
    if (choice.chars > this.#echo(index).length) this.started = true
    this.keep(choice.text, text)
  }
}

function withoutEcho(text: string, echo: string): string {
  if (text.startsWith(echo)) return text.slice(echo.length)
  return echo.startsWith(text) ? '' : text
}
