import type { ReactNode } from 'react'
import { Frame } from './frame.tsx'

export default function Layout({ children }: { children: ReactNode }) {
  return <Frame area="console">{children}</Frame>
}
