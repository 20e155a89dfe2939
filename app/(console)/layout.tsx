import type { ReactNode } from 'react'
import { ConsoleFrame } from './console-frame.tsx'

export default function Layout({ children }: { children: ReactNode }) {
  return <ConsoleFrame area="console">{children}</ConsoleFrame>
}
