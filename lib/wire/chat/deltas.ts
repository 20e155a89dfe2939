import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import type { LanguageCapabilities, LanguagePart } from '../../domain/language.ts'
import type { Usage } from '../../domain/usage.ts'
import { StreamBrokenError } from '../answer.ts'
import type { JsonObject } from '../json.ts'
import { finishReasonOf, hasFailed, hasRequestFailed, readLanguageUsage, sumUsage } from '../language-usage.ts'
import { CustomInput } from './custom-tools.ts'
import { signatureFieldsOf, signatureIn, Thoughts } from './signed-reasoning.ts'
import { WebFindings } from './web-findings.ts'

type Part = LanguageModelV4StreamPart
type Finish = Extract<Part, { type: 'finish' }>
type File = Extract<Part, { type: 'file' }>

/** What a part adds to an answer, in the form of a chunk's choice. */
export interface ChatDelta {
  index: number
  delta: JsonObject
  finishReason: string | null
}

interface Call {
  index: number
  /** Whether some of the arguments have arrived. */
  begun: boolean
  /** Whether all of it has arrived. Another call with its id is another call, as of Mistral, whose ids can all be "null". */
  ended: boolean
  /** Reads the text of a custom tool's call; null if a function is called. */
  custom: CustomInput | null
}

interface ReadOptions {
  /** Whether what was signed, searched and cited comes when it ends. */
  early?: boolean
  /** Which functions stand for custom tools. */
  customTools?: ReadonlySet<string>
}

class Choice {
  /** Characters of text so far. */
  chars = 0
  /** The last call of each of the vendor's ids. */
  readonly calls = new Map<string, Call>()
  callCount = 0
  imageCount = 0
  readonly thoughts: Thoughts
  readonly web: WebFindings
  usage: Usage | null = null
  finished = false

  constructor(skills: LanguageCapabilities) {
    this.thoughts = new Thoughts(skills)
    this.web = new WebFindings(skills)
  }
}

/**
 * Reads the parts of a bridged model's answer as deltas of a chat answer. Everything that was signed or cited comes complete in the last
 * delta of its choice, because clients that put deltas together keep the last value of a field that they do not know. With
 * `early`, each signed thought, search and citation comes when it ends, for readers that keep its position.
 */
export class ChatDeltas {
  readonly #skills: LanguageCapabilities
  readonly #choiceCount: number
  readonly #sendsEarly: boolean
  readonly #customTools: ReadonlySet<string> | undefined
  readonly #choices = new Map<number, Choice>()
  broken: StreamBrokenError | null = null

  constructor(skills: LanguageCapabilities, choices: number, { early = false, customTools }: ReadOptions = {}) {
    this.#skills = skills
    this.#choiceCount = choices
    this.#sendsEarly = early
    this.#customTools = customTools
  }

  /** True once every choice has ended. */
  get done(): boolean {
    return this.#choices.size === this.#choiceCount && [...this.#choices.values()].every((choice) => choice.finished)
  }

  /** The usage of all choices together; null until all are done, and if one of them reported none. */
  usage(): Usage | null {
    return this.done ? sumUsage([...this.#choices.values()].map((choice) => choice.usage)) : null
  }

  /** How many searches of the web the vendor has made. */
  get searches(): number {
    return [...this.#choices.values()].reduce((sum, { web }) => sum + web.searches, 0)
  }

  /** Returns null for a part that a chat answer does not show. */
  read({ choice: index, part }: LanguagePart): ChatDelta | null {
    const choice = this.#choice(index)
    const delta = this.#delta(choice, part)
    if (delta === null) return null
    const reason = part.type === 'finish' ? finishReasonOf(part.finishReason) : null
    // A client that sees "stop" does not look for calls, whatever its vendor calls the end.
    return { index, delta, finishReason: reason === 'stop' && choice.calls.size > 0 ? 'tool_calls' : reason }
  }

  #choice(index: number): Choice {
    const known = this.#choices.get(index)
    if (known) return known
    const choice = new Choice(this.#skills)
    this.#choices.set(index, choice)
    return choice
  }

  #delta(choice: Choice, part: Part): JsonObject | null {
    switch (part.type) {
      case 'text-delta':
        return this.#text(choice, part.delta, part.providerMetadata)
      case 'text-start':
        choice.web.beginText(choice.chars)
        return null
      case 'text-end':
        choice.web.endText(choice.chars, part.providerMetadata)
        return this.#found(choice)
      case 'source':
        choice.web.addSource(part)
        return null
      case 'reasoning-start':
        choice.thoughts.begin({ text: choice.chars, calls: choice.callCount }, part.providerMetadata)
        return null
      case 'reasoning-delta':
        choice.thoughts.add(part.delta, part.providerMetadata)
        return part.delta === '' ? null : { reasoning_content: part.delta }
      case 'reasoning-end': {
        choice.thoughts.add('', part.providerMetadata)
        const details = this.#sendsEarly ? choice.thoughts.takeDetails() : null
        return details === null ? null : { reasoning_details: details }
      }
      case 'tool-input-start':
        return part.providerExecuted ? null : this.#call(choice, part.id, part.toolName, '', part.providerMetadata)
      case 'tool-input-delta':
        return this.#arguments(choice, part.id, part.delta)
      case 'tool-call': {
        if (part.providerExecuted) {
          choice.web.beginSearch(part)
          return null
        }
        const known = choice.calls.get(part.toolCallId)
        // An empty text is not JSON.
        const input = part.input.trim() === '' ? '{}' : part.input
        if (!known || known.ended) return this.#call(choice, part.toolCallId, part.toolName, input, part.providerMetadata, true)
        known.ended = true
        if (known.custom) return inputDelta(known, known.custom.end(input))
        // A call without arguments has no delta.
        return known.begun ? null : this.#arguments(choice, part.toolCallId, input)
      }
      case 'tool-result':
        choice.web.endSearch(part)
        return this.#found(choice)
      case 'file':
        return this.#image(choice, part)
      case 'finish':
        return this.#finish(choice, part)
      case 'error':
        this.broken = new StreamBrokenError('The model failed while it was answering.', `in-band error ${codeOf(part.error)}`)
        return null
      default:
        return null
    }
  }

  #found({ web }: Choice): JsonObject | null {
    if (!this.#sendsEarly) return null
    const found = web.take()
    return Object.keys(found).length === 0 ? null : found
  }

  #text(choice: Choice, delta: string, metadata: SharedV4ProviderMetadata | undefined): JsonObject | null {
    const signature = metadata && signatureIn(metadata, this.#skills)
    if (signature) choice.thoughts.addSignedSpan([choice.chars, choice.chars + delta.length], signature)
    choice.chars += delta.length
    return delta === '' ? null : { content: delta }
  }

  /** An image that the model made, in OpenRouter's form. Other files, and those that are only an address, are not shown. */
  #image(choice: Choice, { mediaType, data }: File): JsonObject | null {
    if (data.type !== 'data' || !mediaType.startsWith('image/')) return null
    const base64 = typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64')
    const image_url = { url: `data:${mediaType};base64,${base64}` }
    return { images: [{ type: 'image_url', image_url, index: choice.imageCount++ }] }
  }

  #call(
    choice: Choice,
    vendorId: string,
    name: string,
    input: string,
    metadata: SharedV4ProviderMetadata | undefined,
    ended = false,
  ): JsonObject {
    const index = choice.callCount++
    const id = choice.calls.has(vendorId) ? `${vendorId}_${index}` : vendorId
    const custom = this.#customTools?.has(name) ? new CustomInput() : null
    choice.calls.set(vendorId, { index, begun: input !== '', ended, custom })
    const signature = metadata && signatureIn(metadata, this.#skills)
    const signed = signature ? signatureFieldsOf(signature, this.#skills) : {}
    const call = custom
      ? { type: 'custom', custom: { name, input: ended ? custom.end(input) : custom.add(input) } }
      : { type: 'function', function: { name, arguments: input } }
    return { tool_calls: [{ index, id, ...call, ...signed }] }
  }

  #arguments(choice: Choice, id: string, delta: string): JsonObject | null {
    const call = choice.calls.get(id)
    if (!call || delta === '') return null
    call.begun = true
    if (call.custom) return inputDelta(call, call.custom.add(delta))
    return { tool_calls: [{ index: call.index, function: { arguments: delta } }] }
  }

  #finish(choice: Choice, part: Finish): JsonObject | null {
    const { usage, finishReason, providerMetadata } = part
    if (finishReasonOf(finishReason) === null) return null
    if (hasFailed(finishReason) && choice.chars + choice.calls.size + choice.imageCount === 0) {
      const detail = `an end of its own: ${finishReason.raw}`
      const vendorWorks = hasRequestFailed(finishReason)
      this.broken = new StreamBrokenError('The model failed while it was answering.', detail, null, vendorWorks)
      return null
    }
    choice.finished = true
    choice.usage = readLanguageUsage(usage)
    choice.web.finish(part, choice.chars)
    const { web_searches, ...cited } = choice.web.take()
    const details = choice.thoughts.details()
    const explained = (providerMetadata?.[this.#skills.vendor]?.stopDetails as JsonObject | undefined)?.explanation
    return {
      ...cited,
      ...(this.#sendsEarly && web_searches !== undefined ? { web_searches } : {}),
      ...(details ? { reasoning_details: details } : {}),
      ...(finishReason.unified === 'content-filter' && typeof explained === 'string' ? { refusal: explained } : {}),
    }
  }
}

/** More of the text with which a custom tool is called; null if there is none. */
const inputDelta = ({ index }: Call, input: string): JsonObject | null =>
  input === '' ? null : { tool_calls: [{ index, custom: { input } }] }

/** The kind of an error. Never its text, which can contain a prompt. */
function codeOf(error: unknown): string {
  const { type, name } = (error ?? {}) as { type?: unknown; name?: unknown }
  return String(type ?? name ?? 'without a code').slice(0, 64)
}
