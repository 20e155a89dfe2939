/** What Next hands to a page of the parameters in its address. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>

/** The same as the browser has them; the first one of several. */
export const asParams = (given: Awaited<SearchParams>): URLSearchParams =>
  new URLSearchParams(Object.entries(given).flatMap(([name, value]) => (one(value) === null ? [] : [[name, one(value) ?? '']])))

/** The parameter's value; the first one of several, null without one. */
export const one = (value: string | string[] | undefined): string | null => (Array.isArray(value) ? value[0] : value) ?? null
