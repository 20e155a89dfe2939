import type { ReactNode } from 'react'

/** A keyboard key. */
export const Kbd = ({ children }: { children: ReactNode }) => (
  <kbd className="rounded-sm border px-1.5 py-px font-mono text-second text-xs">{children}</kbd>
)
