/** The search parameters of a page, as Next passes them. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>

/** The same parameters as `URLSearchParams`. If one occurs several times, its first value counts. */
export const toUrlSearchParams = (params: Awaited<SearchParams>): URLSearchParams =>
  new URLSearchParams(
    Object.entries(params).flatMap(([name, value]) => (firstValue(value) === null ? [] : [[name, firstValue(value) ?? '']])),
  )

/** The value of a parameter: the first one if there are several, null if there is none. */
export const firstValue = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value) ?? null
