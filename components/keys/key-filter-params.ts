import { type KeyState, keyState } from '#lib/contracts/keys'

/** The filters of the list of keys, as they are in the address. */
export interface KeyFilters {
  /** The search text. Empty if there is none. */
  q: string
  state: KeyState | null
  /** The id of a group. */
  group: string | null
}

export const MAX_SEARCHED = 200

/** The address changes that remove all filters. */
export const CLEARED_FILTERS = { q: null, state: null, group: null }

/** Reads an address. Invalid values are ignored. */
export function readKeyFilters(params: { get(name: string): string | null }): KeyFilters {
  const group = params.get('group') ?? ''
  return {
    q: (params.get('q') ?? '').trim().slice(0, MAX_SEARCHED),
    state: keyState.safeParse(params.get('state')).data ?? null,
    group: group === '' || group.length > 64 ? null : group,
  }
}

export const isFiltered = ({ q, state, group }: KeyFilters): boolean => q !== '' || state !== null || group !== null

/** The API path of the first page of the list. */
export function keysPath({ q, state, group }: KeyFilters): string {
  const params = new URLSearchParams({ limit: '50' })
  if (q !== '') params.set('search', q)
  if (state !== null) params.set('state', state)
  if (group !== null) params.set('group', group)
  return `/api/keys?${params}`
}
