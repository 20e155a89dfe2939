'use client'
import { useMe } from '../use-me.ts'

/** Whether the reader may change anything on the operator pages. Support staff have read-only access. */
export function useMayChange(): boolean {
  const role = useMe()?.role
  return role === 'owner' || role === 'operator'
}
