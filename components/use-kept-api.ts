'use client'
import { useState } from 'react'
import type { SWRConfiguration, SWRResponse } from 'swr'
import type { z } from 'zod'
import type { ApiError } from './fetch-json.ts'
import { useApi } from './use-api.ts'

type Kept<T> = Pick<SWRResponse<T, ApiError>, 'data' | 'error' | 'mutate'> & {
  /** Whether `data` is the response of the previous address. */
  isOld: boolean
}

/**
 * Like `useApi`, but when the address changes, the last response stays until the new one has arrived. If the new request fails,
 * the old response is dropped, because it does not answer the current request.
 */
export function useKeptApi<T extends z.ZodType>(
  path: string,
  shape: T,
  options: SWRConfiguration<z.output<T>, ApiError> = {},
): Kept<z.output<T>> {
  const { data, error, mutate } = useApi(path, shape, options)
  const [kept, setKept] = useState(data)
  if (data !== undefined && data !== kept) setKept(data)
  const isOld = data === undefined && error === undefined && kept !== undefined
  return { data: isOld ? kept : data, error, mutate, isOld }
}
