'use client'
import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

/** A short explanation of the element that has the pointer or the focus. The child has to be focusable. */
export function Tooltip({ text, children }: { text: ReactNode; children: ReactNode }) {
  return (
    <Radix.Root delayDuration={200}>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-w-72 animate-appear rounded-md bg-ink px-2.5 py-1.5 text-page text-sm shadow-float"
        >
          {text}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Has to surround all tooltips, once. */
export const TooltipProvider = Radix.Provider
