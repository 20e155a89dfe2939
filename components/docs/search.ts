/** A part of the documentation that the search can find. */
export interface Entry {
  href: string
  /** The title of its page, and its heading there. */
  page: string
  title: string
  text: string
}

const MAX_RESULTS = 8

/** The weight of a match depends on its place: a heading counts more than the text below it. */
const weigh = (entry: Entry, word: string): number =>
  (entry.title.toLowerCase().includes(word) ? 4 : 0) +
  (entry.page.toLowerCase().includes(word) ? 2 : 0) +
  (entry.text.toLowerCase().includes(word) ? 1 : 0)

/** The entries that contain every word of the query, best first. */
export function searchEntries(entries: readonly Entry[], query: string): Entry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, weights: words.map((word) => weigh(entry, word)) }))
    .filter(({ weights }) => weights.every((weight) => weight > 0))
    .map(({ entry, weights }) => ({ entry, weight: weights.reduce((sum, weight) => sum + weight, 0) }))
    .sort((a, b) => b.weight - a.weight)
    .slice(0, MAX_RESULTS)
    .map(({ entry }) => entry)
}
