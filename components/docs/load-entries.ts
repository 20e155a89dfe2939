import type { Entry } from './search.ts'

/** Loads the search index of the documentation in the reader's language. Rejects if it cannot be loaded. */
export async function loadEntries(): Promise<Entry[]> {
  const answer = await fetch('/docs/search.json')
  if (!answer.ok) throw new Error(`the index answered ${answer.status}`)
  return answer.json() as Promise<Entry[]>
}
