'use client'
import { useState } from 'react'
import type { SWRConfiguration, SWRResponse } from 'swr'
import type { z } from 'zod'
import type { ApiError } from './fetch-json.ts'
import { useApi } from './use-api.ts'

type PreviousDataResponse<T> = Pick<SWRResponse<T, ApiError>, 'data' | 'error' | 'mutate'> & {
  /** Whether `data` is the response of the previous address. */
  isOld: boolean
}

/**
 * Like `useApi`, but when the address changes, the last response stays until the new one has arrived. If the new request fails,
 * the old response is dropped, because it does not answer the current request.
 */
export function useApiWithPreviousData<T extends z.ZodType>(
  path: string,
  schema: T,
  options: SWRConfiguration<z.output<T>, ApiError>,
): PreviousDataResponse<z.output<T>> {
  const { data, error, mutate } = useApi(path, schema, options)
  const [previous, setPrevious] = useState(data)
  if (data !== undefined && data !== previous) setPrevious(data)
  const isOld = data === undefined && error === undefined && previous !== undefined
  return { data: isOld ? previous : data, error, mutate, isOld }
}
