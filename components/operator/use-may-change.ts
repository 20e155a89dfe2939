'use client'
import { useMe } from '../use-me.ts'

/** Whether the reader may change anything on the operator's side: support people may only look. */
export function useMayChange(): boolean {
  const role = useMe()?.role
  return role === 'owner' || role === 'operator'
}
