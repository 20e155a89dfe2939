import { type JsonObject, type JsonValue, listIn, objectIn } from './json.ts'

/** Text beyond this many characters is counted but not kept. */
const MAX_KEPT_CHARS = 1_000_000

/** What the folds of chats and of legacy completions share: choices by index, the head of the answer, and how much text is kept. */
export abstract class ChoiceFold<Choice extends { finishReason: string | null }> {
  protected readonly choices = new Map<number, Choice>()
  #head: { id: JsonValue; created: JsonValue } | null = null
  #keptChars = 0
  #droppedChars = 0
  readonly #maxKeptChars: number

  constructor(maxKeptChars = MAX_KEPT_CHARS) {
    this.#maxKeptChars = maxKeptChars
  }

  /** Takes the parsed JSON of one chunk. */
  add(chunk: JsonObject): void {
    if (!this.#head?.id) this.#head = { id: chunk.id ?? null, created: chunk.created ?? null }
    for (const item of listIn(chunk.choices)) {
      const part = objectIn(item)
      if (part) this.addPart(part)
    }
  }

  /** The reason of the first choice. */
  get finishReason(): string | null {
    return this.choices.get(0)?.finishReason ?? [...this.choices.values()][0]?.finishReason ?? null
  }

  /** True when every choice that began has ended. */
  get finished(): boolean {
    return this.choices.size > 0 && [...this.choices.values()].every(({ finishReason }) => finishReason !== null)
  }

  /** How many characters have arrived. */
  get size(): number {
    return this.#keptChars + this.#droppedChars
  }

  protected abstract createChoice(): Choice

  /** Adds what a part of a chunk says to its choice. */
  protected abstract extend(choice: Choice, part: JsonObject, index: number): void

  /** Takes the part of a chunk that is about one choice. */
  protected addPart(part: JsonObject): void {
    const index = typeof part.index === 'number' ? part.index : 0
    const choice = this.choices.get(index) ?? this.createChoice()
    this.choices.set(index, choice)
    if (typeof part.finish_reason === 'string') choice.finishReason = part.finish_reason
    this.extend(choice, part, index)
  }

  /** Adds text to what is kept, or only counts it. */
  protected keep(parts: string[], piece: string): void {
    if (this.#keptChars + piece.length > this.#maxKeptChars) this.#droppedChars += piece.length
    else {
      this.#keptChars += piece.length
      parts.push(piece)
    }
  }

  /** Stands in for text that was not kept where tokens are counted. */
  protected get placeholder(): string {
    return 'x '.repeat(Math.ceil(this.#droppedChars / 8))
  }

  /** The whole form. */
  protected wholeJson(object: string, model: string, toChoiceJson: (choice: Choice) => JsonObject): JsonValue {
    return {
      ...this.#head,
      object,
      model,
      choices: [...this.choices]
        .sort(([a], [b]) => a - b)
        .map(([index, choice]) => ({ index, ...toChoiceJson(choice), finish_reason: choice.finishReason })),
      ...(this.#droppedChars > 0 ? { truncated: true } : {}),
    }
  }
}
