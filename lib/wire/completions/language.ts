import type { LanguageAsk, LanguageCapabilities, LanguagePart } from '../../domain/language.ts'
import { type LanguageHead, StreamBroken, type StreamEnd, type WholeAnswer } from '../answer.ts'
import { type ChatDelta, ChatDeltas } from '../chat/deltas.ts'
import { chatLanguage } from '../chat/language.ts'
import { textIn } from '../json.ts'
import type { LanguageForm } from '../vendor-form.ts'
import { chatBodyOf, checkThroughChat } from './chat.ts'
import { choicesOf, type PreparedCompletions } from './prepared.ts'
import { CompletionsTap } from './tap.ts'
import { CompletionsWriter, type Said } from './writer.ts'

const deltasOf = ({ prompts, body }: PreparedCompletions, { skills }: LanguageHead): ChatDeltas =>
  new ChatDeltas(skills, prompts.length * choicesOf(body))

function saidBy({ delta, finishReason }: ChatDelta): Said {
  return { text: textIn(delta.content) || textIn(delta.refusal), finishReason }
}

/** Writes the parts of bridged models, asked once for each prompt, as one stream of completions. */
class CompletionsPartsTap extends CompletionsTap<LanguagePart> {
  readonly #deltas: ChatDeltas

  constructor(prepared: PreparedCompletions, head: LanguageHead) {
    super(prepared, head)
    this.#deltas = deltasOf(prepared, head)
  }

  get done(): boolean {
    return this.#deltas.done
  }

  get broken(): StreamBroken | null {
    return this.#deltas.broken
  }

  push(part: LanguagePart): Uint8Array {
    const read = this.#deltas.read(part)
    if (read === null) return new Uint8Array(0)
    this.writer.fold.think(textIn(read.delta.reasoning_content))
    return this.writer.event(read.index, saidBy(read))
  }

  end(): StreamEnd {
    return { complete: this.done, usage: this.#deltas.usage(), finishReason: this.writer.fold.finishReason }
  }
}

function readParts(parts: readonly LanguagePart[], prepared: PreparedCompletions, head: LanguageHead): WholeAnswer {
  const deltas = deltasOf(prepared, head)
  const writer = new CompletionsWriter(prepared, head)
  const all = new Map<number, Said>()
  for (const part of parts) {
    const read = deltas.read(part)
    if (deltas.broken) throw deltas.broken
    if (read === null) continue
    writer.fold.think(textIn(read.delta.reasoning_content))
    const said = saidBy(read)
    all.set(read.index, { ...said, text: (all.get(read.index)?.text ?? '') + said.text })
  }
  if (!deltas.done) throw new StreamBroken("The model's vendor ended the answer early.", 'the answer has no end')
  const choices = [...all].map(([index, said]) => writer.choice(index, said))
  return writer.whole(choices, deltas.usage())
}

const asksOf = ({ body, prompts }: PreparedCompletions, skills: LanguageCapabilities): LanguageAsk[] =>
  prompts.map((prompt) => chatLanguage(chatBodyOf(body, prompt), skills))

/** How bridged vendors are asked for completions: as chats, one for each prompt. */
export const completionsLanguage: LanguageForm<PreparedCompletions> = {
  ask(prepared, skills) {
    checkThroughChat(prepared)
    // The requests differ only in their text.
    const [first] = asksOf(prepared, skills)
    if (!first) throw new Error('there is no prompt')
    return first
  },
  asks: asksOf,
  whole: readParts,
  tap: (prepared, head) => new CompletionsPartsTap(prepared, head),
}
