'use client'
import { useSearchParams } from 'next/navigation'
import { modelList } from '#lib/contracts/catalog'
import { useApi } from '../use-api.ts'
import { type Mode, selectModel } from './select-model.ts'

/** Reads from the address and the catalog what to call. `choice` is null if no model of the group supports the mode. */
export function useModelSelection(mode: Mode) {
  const params = useSearchParams()
  const { data, error, mutate } = useApi('/api/models', modelList, { revalidateOnFocus: false })
  const result = selectModel(data ?? { rows: [], groups: [] }, mode, new URLSearchParams(params.toString()))
  const loading = data === undefined && error === undefined
  return { ...result, loading, error, retry: () => void mutate() }
}
