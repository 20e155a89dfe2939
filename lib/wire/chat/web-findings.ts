import type { LanguageModelV4StreamPart, SharedV4ProviderMetadata } from '@ai-sdk/provider'
import { fieldIn } from '../../domain/field-in.ts'
import type { LanguageCapabilities } from '../../domain/language.ts'
import { type JsonObject, objectIn, objectsIn, textIn } from '../json.ts'
import { tokenCount as count } from '../token-count.ts'

type PartOf<Type extends LanguageModelV4StreamPart['type']> = Extract<LanguageModelV4StreamPart, { type: Type }>

/** More than any answer has. */
const MAX_CITATIONS = 1000
const MAX_SEARCHES = 1000

interface Page {
  url: string
  title: string
}

/** A page that a span of the text cites (OpenAI 2.3.0, ChatCompletionResponseMessage.annotations). */
const citation = ({ url, title }: Page, start_index: number, end_index: number): JsonObject => ({
  type: 'url_citation',
  url_citation: { url, title: title === '' ? url : title, start_index, end_index },
})

/**
 * What a bridged model looks for on the web, and the pages that its text cites. Searches have no place in a chat; the responses that are
 * written from its deltas show them.
 */
export class WebFindings {
  readonly #skills: LanguageCapabilities
  /** What is searched for, by the vendor's id of the call. */
  readonly #queries = new Map<string, string>()
  /** Where the last block of text begins. */
  #textStart = 0
  #sources: Page[] = []
  #citations: JsonObject[] = []
  #citationCount = 0
  #made: JsonObject[] = []
  #succeeded = 0
  #stated: number | null = null

  constructor(skills: LanguageCapabilities) {
    this.#skills = skills
  }

  /** How many searches are billed: what the vendor states, or else those that were seen to succeed. */
  get searches(): number {
    return this.#stated ?? this.#succeeded
  }

  /** A block of text begins after this many characters. */
  beginText(chars: number): void {
    this.#textStart = chars
  }

  /** The block ends. Claude cites by blocks: all that it cites belongs to all of its text. */
  endText(chars: number, metadata: SharedV4ProviderMetadata | undefined): void {
    if (this.#skills.search?.cites !== 'blocks') return
    for (const { url, title } of objectsIn(metadata?.[this.#skills.vendor]?.citations))
      this.#cite({ url: textIn(url), title: textIn(title) }, this.#textStart, chars)
  }

  /** A source belongs to the whole text. Of a vendor that cites by blocks it is only something that was found. */
  addSource(part: PartOf<'source'>): void {
    if (part.sourceType !== 'url' || this.#skills.search?.cites !== 'sources' || this.#sources.length >= MAX_CITATIONS) return
    this.#sources.push({ url: part.url, title: part.title ?? '' })
  }

  beginSearch({ toolCallId, input }: PartOf<'tool-call'>): void {
    if (this.#queries.size < MAX_SEARCHES) this.#queries.set(toolCallId, queryIn(input))
  }

  endSearch({ toolCallId, isError }: PartOf<'tool-result'>): void {
    const query = this.#queries.get(toolCallId)
    if (query === undefined) return
    this.#queries.delete(toolCallId)
    if (isError !== true) this.#succeeded++
    this.#made.push({ query, status: isError === true ? 'failed' : 'completed' })
  }

  /** The answer ends, after this many characters of text: now its vendor says how many searches it bills. */
  finish({ usage, providerMetadata }: PartOf<'finish'>, chars: number): void {
    for (const source of this.#sources) this.#cite(source, 0, chars)
    this.#stated = count(fieldIn(fieldIn(usage.raw, 'server_tool_use'), 'web_search_requests'))
    const queries = queriesIn(providerMetadata?.[this.#skills.vendor]?.groundingMetadata)
    this.#made.push(...queries.slice(0, MAX_SEARCHES).map((query) => ({ query, status: 'completed' })))
    // What is cited was searched for, even if the answer does not say how.
    const searches = Math.max(queries.length, Math.min(this.#sources.length, 1))
    if (searches > 0) this.#stated = this.#skills.search?.bills === 'requests' ? 1 : searches
  }

  /** Takes the fields of a delta with what was found since the last call. */
  take(): JsonObject {
    const [citations, made] = [this.#citations, this.#made]
    if (citations.length + made.length === 0) return {}
    this.#citations = []
    this.#made = []
    return {
      ...(citations.length > 0 ? { annotations: citations } : {}),
      ...(made.length > 0 ? { web_searches: made } : {}),
    }
  }

  #cite(page: Page, start: number, end: number): void {
    if (page.url === '' || this.#citationCount++ >= MAX_CITATIONS) return
    this.#citations.push(citation(page, start, end))
  }
}

/** What was searched for. Google bills what differs, and no empty queries, which it lists as well ("Grounding with Google Search"). */
function queriesIn(grounding: unknown): string[] {
  const queries = fieldIn(grounding, 'webSearchQueries')
  const texts = Array.isArray(queries) ? queries.filter((query) => typeof query === 'string') : []
  return [...new Set(texts)].filter((query) => query.trim() !== '')
}

function queryIn(input: string): string {
  try {
    return textIn(objectIn(JSON.parse(input))?.query)
  } catch {
    return ''
  }
}
