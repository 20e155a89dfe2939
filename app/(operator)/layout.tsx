import type { ReactNode } from 'react'
import { ConsoleFrame } from '../(console)/console-frame.tsx'

export default function Layout({ children }: { children: ReactNode }) {
  return <ConsoleFrame area="operator">{children}</ConsoleFrame>
}
