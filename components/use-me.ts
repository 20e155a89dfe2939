'use client'
import { type Me, me } from '#lib/contracts/session'
import { useApi } from './use-api.ts'

/** The signed-in user. The layout passes in what the server knew, so the data is there from the first paint on. */
export const useMe = (): Me | undefined =>
  useApi('/api/me', me, { revalidateOnMount: false, revalidateIfStale: false, dedupingInterval: 30_000 }).data

/** The same, reloaded every 30 seconds, because the maintenance state, the operators' notice or a suspension can change. */
export const useFreshMe = (): Me | undefined =>
  useApi('/api/me', me, { revalidateOnMount: false, revalidateIfStale: false, refreshInterval: 30_000 }).data
