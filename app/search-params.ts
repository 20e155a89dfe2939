/** What Next hands to a page of the parameters in its address. */
export type SearchParams = Promise<Record<string, string | string[] | undefined>>

/** The parameter's value; the first one of several, null without one. */
export const one = (value: string | string[] | undefined): string | null => (Array.isArray(value) ? value[0] : value) ?? null
