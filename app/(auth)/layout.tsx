import type { ReactNode } from 'react'
import { AreaTextsProvider } from '#components/area-texts-provider'
import { AuthFrame } from '#components/auth/auth-frame'
import { Providers } from '#components/providers'

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <AreaTextsProvider of="auth">
      <Providers>
        <AuthFrame>{children}</AuthFrame>
      </Providers>
    </AreaTextsProvider>
  )
}
