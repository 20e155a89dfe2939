import { type FilterName, filterFields } from '#lib/contracts/history'

/** What the list is narrowed to, as it stands in the address. */
export type Filters = Partial<Record<FilterName, string>>

/** In the order in which they are written. */
export const FILTER_NAMES = Object.keys(filterFields) as FilterName[]

/** The filters of an address. What cannot be used is left out, so that an old or mistyped link shows something. */
export function readFilters(params: URLSearchParams): Filters {
  const filters: Filters = {}
  for (const name of FILTER_NAMES) {
    const value = params.get(name)
    if (value !== null && filterFields[name].safeParse(value).success) filters[name] = value
  }
  const { from, to } = filters
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) delete filters.to
  // A range of its own gives way to given times, and where to search is nothing without a text.
  if (filters.from !== undefined || filters.to !== undefined) delete filters.range
  if (filters.q === undefined) delete filters.in
  return filters
}

/** The query of filters in its one form: equal filters have equal queries. */
export function filterQuery(filters: Filters): string {
  const params = new URLSearchParams()
  for (const name of FILTER_NAMES) if (filters[name] !== undefined) params.set(name, filters[name])
  return params.toString()
}

/** The same query, out of one that was saved. */
export const tidyQuery = (query: string): string => filterQuery(readFilters(new URLSearchParams(query)))

/** Changes of the address that leave just these filters, and no request open. */
export function onlyFilters(filters: Filters): Record<string, string | null> {
  return { ...Object.fromEntries(FILTER_NAMES.map((name) => [name, filters[name] ?? null])), id: null }
}

/** The models of the filter, which stand in one parameter. */
export const modelsOf = (filters: Filters): string[] => (filters.model ?? '').split(',').filter((model) => model !== '')

export const PAGE_ROWS = 50

/** Where a page of the list is read: the newest, or what comes after `before`. */
export function requestsPath(filters: Filters, before: string | null): string {
  const params = new URLSearchParams(filterQuery(filters))
  params.set('limit', String(PAGE_ROWS))
  if (before !== null) params.set('before', before)
  return `/api/requests?${params}`
}

/** Where the chart above the list is read. */
export const chartPath = (filters: Filters): string => `/api/requests/chart?${filterQuery(filters)}`
