'use client'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { cn } from '../cn.ts'
import { focusFirst } from './dialog.tsx'
import { overlayStyles } from './overlay-styles.ts'
import { useRestoreFocus } from './use-restore-focus.ts'

interface SheetProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** For screen readers only: the panel's content has its own heading. */
  title: string
  side: 'left' | 'right'
  children: ReactNode
  className?: string
}

/** A panel that slides in from an edge of the page. */
export function Sheet({ open, onOpenChange, title, side, children, className }: SheetProps) {
  const restoreFocus = useRestoreFocus(open)
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={overlayStyles} />
        <Radix.Content
          aria-describedby={undefined}
          onOpenAutoFocus={focusFirst}
          onCloseAutoFocus={restoreFocus}
          className={cn(
            'fixed inset-y-0 z-50 flex flex-col overflow-y-auto bg-page shadow-float outline-none',
            side === 'left' ? 'left-0 animate-slide-left border-r' : 'right-0 animate-slide-right border-l',
            className,
          )}
        >
          <Radix.Title className="sr-only">{title}</Radix.Title>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
