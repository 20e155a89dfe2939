'use client'
import { useSearchParams } from 'next/navigation'
import { modelList } from '#lib/contracts/catalog'
import { useApi } from '../use-api.ts'
import { choose, type Mode } from './choose.ts'

/** Reads from the address and the catalog what to call. `choice` is null if no model of the group supports the mode. */
export function useChoice(mode: Mode) {
  const params = useSearchParams()
  const { data, error, mutate } = useApi('/api/models', modelList, { revalidateOnFocus: false })
  const chosen = choose(data ?? { rows: [], groups: [] }, mode, new URLSearchParams(params.toString()))
  const loading = data === undefined && error === undefined
  return { ...chosen, loading, error, retry: () => void mutate() }
}
