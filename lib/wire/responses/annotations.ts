import { type JsonObject, objectIn, objectsIn, textIn } from '../json.ts'

/** More sources than any answer has. */
const MAX_ANNOTATIONS = 1000

const indexIn = (value: unknown): number => (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0)

/** A citation in the form of a response (OpenAI 2.3.0, UrlCitationBody). What a vendor leaves out is empty. */
const citation = (url: string, title: string, from: unknown, to: unknown): JsonObject => ({
  type: 'url_citation',
  url,
  title: title === '' ? url : title,
  start_index: indexIn(from),
  end_index: indexIn(to),
})

/** The web pages that a chat's delta or message cites, in OpenAI's form. */
function citationsIn(delta: JsonObject): JsonObject[] {
  return objectsIn(delta.annotations).flatMap((annotation) => {
    const cited = objectIn(annotation.url_citation)
    const url = textIn(cited?.url)
    return url === '' ? [] : [citation(url, textIn(cited?.title), cited?.start_index, cited?.end_index)]
  })
}

/** The web pages that an answer or a chunk of Perplexity's is based on. It names them beside the choices, in every chunk. */
export function sourcesIn({ search_results: results, citations }: JsonObject): JsonObject[] {
  const found = objectsIn(results).flatMap((result) => {
    const url = textIn(result.url)
    return url === '' ? [] : [citation(url, textIn(result.title), 0, 0)]
  })
  if (found.length > 0 || !Array.isArray(citations)) return found
  return citations.flatMap((url) => (typeof url === 'string' && url !== '' ? [citation(url, '', 0, 0)] : []))
}

/** What an answer cites: each once, although vendors repeat it. */
export class Annotations {
  readonly #known = new Set<string>()

  /**
   * Those in a delta that are new. `sources` are what stands beside its choice. A chat counts its characters from the beginning; a
   * message of a response begins after `before` of them.
   */
  take(delta: JsonObject, sources: readonly JsonObject[], before: number): JsonObject[] {
    const cited = citationsIn(delta).map((one) => ({
      ...one,
      start_index: Math.max(0, indexIn(one.start_index) - before),
      end_index: Math.max(0, indexIn(one.end_index) - before),
    }))
    return [...cited, ...sources].filter((annotation) => {
      const key = JSON.stringify(annotation)
      if (this.#known.has(key) || this.#known.size >= MAX_ANNOTATIONS) return false
      this.#known.add(key)
      return true
    })
  }
}
