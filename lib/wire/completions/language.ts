import type { LanguageAsk, LanguageCapabilities, LanguagePart } from '../../domain/language.ts'
import { type LanguageHead, type NonStreamingAnswer, StreamBrokenError, type StreamEnd } from '../answer.ts'
import { type ChatDelta, ChatDeltas } from '../chat/deltas.ts'
import { toLanguageAsk } from '../chat/language.ts'
import { textIn } from '../json.ts'
import type { LanguageForm } from '../vendor-form.ts'
import { chatBodyOf, checkSupportedByChat } from './chat.ts'
import { choicesOf, type PreparedCompletions } from './prepared.ts'
import { CompletionsTap } from './tap.ts'
import { type ChoiceDelta, CompletionsWriter } from './writer.ts'

const deltasOf = ({ prompts, body }: PreparedCompletions, { skills }: LanguageHead): ChatDeltas =>
  new ChatDeltas(skills, prompts.length * choicesOf(body))

function toChoiceDelta({ delta, finishReason }: ChatDelta): ChoiceDelta {
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

  get broken(): StreamBrokenError | null {
    return this.#deltas.broken
  }

  push(part: LanguagePart): Uint8Array {
    const read = this.#deltas.read(part)
    if (read === null) return new Uint8Array(0)
    this.writer.fold.addReasoning(textIn(read.delta.reasoning_content))
    return this.writer.event(read.index, toChoiceDelta(read))
  }

  end(): StreamEnd {
    return { complete: this.done, usage: this.#deltas.usage(), finishReason: this.writer.fold.finishReason }
  }
}

function readNonStreamingParts(
  parts: readonly LanguagePart[],
  prepared: PreparedCompletions,
  head: LanguageHead,
): NonStreamingAnswer {
  const deltas = deltasOf(prepared, head)
  const writer = new CompletionsWriter(prepared, head)
  const deltaByIndex = new Map<number, ChoiceDelta>()
  for (const part of parts) {
    const read = deltas.read(part)
    if (deltas.broken) throw deltas.broken
    if (read === null) continue
    writer.fold.addReasoning(textIn(read.delta.reasoning_content))
    const choiceDelta = toChoiceDelta(read)
    deltaByIndex.set(read.index, { ...choiceDelta, text: (deltaByIndex.get(read.index)?.text ?? '') + choiceDelta.text })
  }
  if (!deltas.done) throw new StreamBrokenError("The model's vendor ended the answer early.", 'the answer has no end')
  const choices = [...deltaByIndex].map(([index, said]) => writer.choice(index, said))
  return writer.toNonStreaming(choices, deltas.usage())
}

const asksOf = ({ body, prompts }: PreparedCompletions, skills: LanguageCapabilities): LanguageAsk[] =>
  prompts.map((prompt) => toLanguageAsk(chatBodyOf(body, prompt), skills))

/** How bridged vendors are asked for completions: as chats, one for each prompt. */
export const completionsLanguage: LanguageForm<PreparedCompletions> = {
  ask(prepared, skills) {
    checkSupportedByChat(prepared)
    // The requests differ only in their text.
    const [first] = asksOf(prepared, skills)
    if (!first) throw new Error('there is no prompt')
    return first
  },
  askAll: asksOf,
  readNonStreaming: readNonStreamingParts,
  createTap: (prepared, head) => new CompletionsPartsTap(prepared, head),
}
