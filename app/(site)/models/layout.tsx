import type { ReactNode } from 'react'
import { Providers } from '#components/providers'
import { Texts } from '#components/texts'

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <Texts of="models">
      <Providers>{children}</Providers>
    </Texts>
  )
}
