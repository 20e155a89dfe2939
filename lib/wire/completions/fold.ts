import { type JsonObject, type JsonValue, objectsIn } from '../json.ts'

/** Text beyond this many characters is counted but not kept. */
const MAX_KEPT_CHARS = 1_000_000

interface Choice {
  text: string[]
  chars: number
  finishReason: string | null
}

/** Folds the chunks of streamed completions into the whole form, for history and for counting. */
export class CompletionFold {
  readonly #echo: (index: number) => string
  readonly #choices = new Map<number, Choice>()
  #head: { id: JsonValue; created: JsonValue } | null = null
  #thoughts = ''
  #kept = 0
  #droppedChars = 0

  /** True once the model has said something. An echoed prompt does not count. */
  started = false

  /** `echo` is the text that each choice begins with. */
  constructor(echo: (index: number) => string) {
    this.#echo = echo
  }

  /** Takes the parsed JSON of one chunk. */
  add(chunk: JsonObject): void {
    if (!this.#head?.id) this.#head = { id: chunk.id ?? null, created: chunk.created ?? null }
    for (const item of objectsIn(chunk.choices)) this.#addChoice(item)
  }

  addContent(index: number, piece: string): void {
    this.#addChoice({ index, text: piece })
  }

  /** Takes reasoning, which is generated but not shown. */
  addReasoning(text: string): void {
    if (text !== '') this.started = true
    if (this.#kept + text.length > MAX_KEPT_CHARS) this.#droppedChars += text.length
    else this.#thoughts += text
    this.#kept += text.length
  }

  /** The reason of the first choice. */
  get finishReason(): string | null {
    return this.#choices.get(0)?.finishReason ?? [...this.#choices.values()][0]?.finishReason ?? null
  }

  /** True when every choice that began has ended. */
  get finished(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every(({ finishReason }) => finishReason !== null)
  }

  /** How many characters have arrived. */
  get size(): number {
    return this.#kept
  }

  /** Everything that was generated, for counting. */
  text(): string {
    const said = [...this.#choices].map(([index, { text }]) => withoutEcho(text.join(''), this.#echo(index)))
    return this.#thoughts + said.join('') + 'x '.repeat(Math.ceil(this.#droppedChars / 8))
  }

  toAnswerJson(model: string): JsonValue {
    const choices = [...this.#choices].sort(([a], [b]) => a - b)
    return {
      ...this.#head,
      object: 'text_completion',
      model,
      choices: choices.map(([index, { text, finishReason }]) => ({ index, text: text.join(''), finish_reason: finishReason })),
      ...(this.#droppedChars > 0 ? { truncated: true } : {}),
    }
  }

  #addChoice(item: JsonObject): void {
    const index = typeof item.index === 'number' ? item.index : 0
    const choice = this.#choices.get(index) ?? { text: [], chars: 0, finishReason: null }
    this.#choices.set(index, choice)
    if (typeof item.finish_reason === 'string') choice.finishReason = item.finish_reason
    if (typeof item.text !== 'string' || item.text === '') return
    choice.chars += item.text.length
    if (choice.chars > this.#echo(index).length) this.started = true
    if (this.#kept + item.text.length > MAX_KEPT_CHARS) this.#droppedChars += item.text.length
    else choice.text.push(item.text)
    this.#kept += item.text.length
  }
}

function withoutEcho(text: string, echo: string): string {
  if (text.startsWith(echo)) return text.slice(echo.length)
  return echo.startsWith(text) ? '' : text
}
