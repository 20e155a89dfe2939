import type { Entry } from './search.ts'

/** Everything that can be found in the documentation, in the reader's language. Rejects where it is out of reach. */
export async function loadEntries(): Promise<Entry[]> {
  const answer = await fetch('/docs/search.json')
  if (!answer.ok) throw new Error(`the index answered ${answer.status}`)
  return answer.json() as Promise<Entry[]>
}
