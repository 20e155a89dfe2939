'use client'
import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/** False on the server and in the first render of server-rendered content, which must match; then true. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
