import { type FilterName, filterFields } from '#lib/contracts/history'

/** The filters of the list, as they are in the address. */
export type Filters = Partial<Record<FilterName, string>>

/** In the order in which they are written to a query. */
export const FILTER_NAMES = Object.keys(filterFields) as FilterName[]

/** Reads the filters of an address. Invalid ones are left out, so that an old or mistyped link still shows something. */
export function readFilters(params: URLSearchParams): Filters {
  const filters: Filters = {}
  for (const name of FILTER_NAMES) {
    const value = params.get(name)
    if (value !== null && filterFields[name].safeParse(value).success) filters[name] = value
  }
  const { from, to } = filters
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to)) delete filters.to
  // Start and end times take precedence over a range, and the place to search means nothing without a text.
  if (filters.from !== undefined || filters.to !== undefined) delete filters.range
  if (filters.q === undefined) delete filters.in
  return filters
}

/** The canonical query of filters: equal filters have equal queries. */
export function filterQuery(filters: Filters): string {
  const params = new URLSearchParams()
  for (const name of FILTER_NAMES) if (filters[name] !== undefined) params.set(name, filters[name])
  return params.toString()
}

/** The canonical form of a saved query. */
export const normalizeQuery = (query: string): string => filterQuery(readFilters(new URLSearchParams(query)))

/** The address changes that leave exactly these filters and no open request. */
export function filterParamChanges(filters: Filters): Record<string, string | null> {
  return { ...Object.fromEntries(FILTER_NAMES.map((name) => [name, filters[name] ?? null])), id: null }
}

/** The models of the filter, which share one parameter. */
export const modelsOf = (filters: Filters): string[] => (filters.model ?? '').split(',').filter((model) => model !== '')

export const PAGE_ROWS = 50

/** The address of a page of the list: the newest, or the one after `before`. */
export function requestsPath(filters: Filters, before: string | null): string {
  const params = new URLSearchParams(filterQuery(filters))
  params.set('limit', String(PAGE_ROWS))
  if (before !== null) params.set('before', before)
  return `/api/requests?${params}`
}

/** The address of the data of the chart above the list. */
export const chartPath = (filters: Filters): string => `/api/requests/chart?${filterQuery(filters)}`
