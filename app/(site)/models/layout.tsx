import type { ReactNode } from 'react'
import { AreaTextsProvider } from '#components/area-texts-provider'
import { Providers } from '#components/providers'

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <AreaTextsProvider of="models">
      <Providers>{children}</Providers>
    </AreaTextsProvider>
  )
}
