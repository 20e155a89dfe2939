import type { ReactNode } from 'react'
import { Frame } from '../(console)/frame.tsx'

export default function Layout({ children }: { children: ReactNode }) {
  return <Frame area="operator">{children}</Frame>
}
