import type { ReactNode } from 'react'
import { cn } from '../cn.ts'

/** For the `ref` of what is wrong: in a window that scrolls it may stand where nobody looks. */
export const toSight = (note: HTMLElement | null): void => note?.scrollIntoView({ block: 'nearest' })

/** What is wrong with a form, and with none of its fields; read out when it comes. Nothing where nothing is wrong. */
export function FaultNote({ children, className }: { children: ReactNode; className?: string }) {
  if (children == null) return null
  return (
    <p ref={toSight} role="alert" className={cn('rounded-md bg-bad-tint px-3 py-2 text-bad', className)}>
      {children}
    </p>
  )
}
