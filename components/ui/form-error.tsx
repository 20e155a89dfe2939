import type { ReactNode } from 'react'
import { cn } from '../cn.ts'

/** For the `ref` of an error: scrolls it into view, because in a scrolling dialog it may be out of sight. */
export const scrollNoteIntoView = (note: HTMLElement | null): void => note?.scrollIntoView({ block: 'nearest' })

/** An error of a form that belongs to none of its fields. Read out when it appears. Renders nothing if there is no error. */
export function FormError({ children, className }: { children: ReactNode; className?: string }) {
  if (children == null) return null
  return (
    <p ref={scrollNoteIntoView} role="alert" className={cn('rounded-md bg-bad-tint px-3 py-2 text-bad', className)}>
      {children}
    </p>
  )
}
