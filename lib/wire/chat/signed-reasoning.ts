import type { SharedV4ProviderMetadata, SharedV4ProviderOptions } from '@ai-sdk/provider'
import type { LanguageCapabilities } from '../../domain/language.ts'
import { type JsonObject, type JsonValue, objectIn } from '../json.ts'

/** The position of a thought in its message: after so many characters of text, and so many calls. */
interface ThoughtPosition {
  text: number
  calls: number
}

/** What a vendor signed, as it comes back from a client. */
export type SignedThought =
  | { kind: 'thought'; at: ThoughtPosition; text: string; options: SharedV4ProviderOptions }
  | { kind: 'text'; from: number; to: number; options: SharedV4ProviderOptions }

/** Signed thoughts beyond this many characters are not returned, because a client could not send them back. */
const MAX_KEPT_CHARS = 4_000_000

const metadataField = (
  metadata: SharedV4ProviderMetadata | undefined,
  skills: LanguageCapabilities,
  field: string | null,
): string | null => {
  const value = field === null ? undefined : metadata?.[skills.vendor]?.[field]
  return typeof value === 'string' ? value : null
}

/** The signature in a part's metadata. */
export const signatureIn = (metadata: SharedV4ProviderMetadata | undefined, skills: LanguageCapabilities): string | null =>
  metadataField(metadata, skills, skills.thoughts.signature)

/**
 * Collects what a model thought and its vendor signed, in one choice of an answer. `details` is what the client gets as
 * `reasoning_details` and sends back unchanged. The form is OpenRouter's, with `position` and `span` added here.
 */
export class Thoughts {
  readonly #skills: LanguageCapabilities
  #list: { at: ThoughtPosition; text: string[]; signature: string | null; hidden: string | null }[] = []
  #signedSpans: { signature: string; span: [number, number] }[] = []
  #kept = 0

  constructor(skills: LanguageCapabilities) {
    this.#skills = skills
  }

  begin(at: ThoughtPosition, metadata: SharedV4ProviderMetadata | undefined): void {
    const hidden = metadataField(metadata, this.#skills, this.#skills.thoughts.hidden)
    this.#list.push({ at, text: [], signature: signatureIn(metadata, this.#skills), hidden })
    this.#kept += hidden?.length ?? 0
  }

  add(text: string, metadata: SharedV4ProviderMetadata | undefined): void {
    const thought = this.#list.at(-1)
    if (!thought || this.#kept > MAX_KEPT_CHARS) return
    this.#kept += text.length
    if (text !== '') thought.text.push(text)
    thought.signature = signatureIn(metadata, this.#skills) ?? thought.signature
  }

  /** Takes text that carries a signature itself, from one character of its message to another. */
  addSignedSpan(span: [number, number], signature: string): void {
    this.#signedSpans.push({ signature, span })
  }

  /** The signed thoughts that have ended since the last call; null if there are none. Spans of text wait for the end. */
  takeDetails(): JsonObject[] | null {
    const signed = this.#signedSpans
    this.#signedSpans = []
    const details = this.details()
    this.#list = []
    this.#signedSpans = signed
    return details
  }

  /** Null if nothing was signed, because such thoughts need not come back. */
  details(): JsonObject[] | null {
    if (this.#kept > MAX_KEPT_CHARS) return null
    const { format } = this.#skills.thoughts
    const details: JsonObject[] = []
    for (const { at, text, signature, hidden } of this.#list) {
      const place = at.text === 0 && at.calls === 0 ? {} : { position: { ...at } }
      const index = details.length
      if (hidden !== null) details.push({ type: 'reasoning.encrypted', data: hidden, format, index, ...place })
      else if (signature !== null)
        details.push({ type: 'reasoning.text', text: text.join(''), signature, format, index, ...place })
    }
    for (const { signature, span } of this.#signedSpans)
      details.push({ type: 'reasoning.encrypted', data: signature, format, index: details.length, span })
    return details.length === 0 ? null : details
  }
}

const offset = (value: JsonValue | undefined): number => (typeof value === 'number' && value >= 0 ? Math.floor(value) : 0)

/** Reads the `reasoning_details` of a message that comes back. Details that another vendor signed, or nobody, are left out. */
export function readSignedThoughts(details: unknown, skills: LanguageCapabilities): SignedThought[] {
  const { format, signature, hidden } = skills.thoughts
  const options = (field: string, value: string) => ({ [skills.vendor]: { [field]: value } })
  return (Array.isArray(details) ? details : []).flatMap((item): SignedThought[] => {
    const detail = objectIn(item) ?? {}
    if (detail.format !== format) return []
    const position = objectIn(detail.position) ?? {}
    const at = { text: offset(position.text), calls: offset(position.calls) }
    const { type, text, data, span } = detail
    if (type === 'reasoning.text' && typeof text === 'string' && typeof detail.signature === 'string')
      return [{ kind: 'thought', at, text, options: options(signature, detail.signature) }]
    if (type !== 'reasoning.encrypted' || typeof data !== 'string') return []
    if (Array.isArray(span))
      return [{ kind: 'text', from: offset(span[0]), to: offset(span[1]), options: options(signature, data) }]
    return hidden === null ? [] : [{ kind: 'thought', at, text: '', options: options(hidden, data) }]
  })
}

/** Carries a call's signature to the client, in Google's own field of its OpenAI form. */
export const signatureFieldsOf = (signature: string, skills: LanguageCapabilities): JsonObject => ({
  extra_content: { [skills.vendor]: { thought_signature: signature } },
})

/** The signature of a call that comes back, in the AI SDK's form. */
export function readCallSignature(call: JsonObject, skills: LanguageCapabilities): SharedV4ProviderOptions | null {
  const signature = objectIn(objectIn(call.extra_content)?.[skills.vendor])?.thought_signature
  return typeof signature === 'string' ? { [skills.vendor]: { [skills.thoughts.signature]: signature } } : null
}
