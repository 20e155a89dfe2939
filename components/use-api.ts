'use client'
import useSWR, { type SWRConfiguration, type SWRResponse } from 'swr'
import type { z } from 'zod'
import { type ApiError, fetchJson } from './fetch-json.ts'

/** Reads an address of the console's API with SWR. Reads nothing if the path is null. */
export function useApi<T extends z.ZodType>(
  path: string | null,
  schema: T,
  options: SWRConfiguration<z.output<T>, ApiError> = {},
): SWRResponse<z.output<T>, ApiError> {
  return useSWR<z.output<T>, ApiError>(path, (key: string) => fetchJson(key, schema), options)
}
