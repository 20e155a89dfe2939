'use client'
import { useSyncExternalStore } from 'react'

const never = () => () => undefined

/** False on the server and in the first drawing of what the server has drawn, when both must draw the same; then true. */
export const useHydrated = (): boolean =>
  useSyncExternalStore(
    never,
    () => true,
    () => false,
  )
