'use client'
import { type Me, me } from '#lib/contracts/session'
import { useApi } from './use-api.ts'

/** Who is signed in. The layout hands in what the server knew, so it is there from the first paint. */
export const useMe = (): Me | undefined =>
  useApi('/api/me', me, { revalidateOnMount: false, revalidateIfStale: false, dedupingInterval: 30_000 }).data

/** The same, looked at again every half minute: for what whoever runs the gateway may have to say meanwhile. */
export const useFreshMe = (): Me | undefined =>
  useApi('/api/me', me, { revalidateOnMount: false, revalidateIfStale: false, refreshInterval: 30_000 }).data
