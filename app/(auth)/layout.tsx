import type { ReactNode } from 'react'
import { AuthFrame } from '#components/auth/auth-frame'
import { Providers } from '#components/providers'
import { Texts } from '#components/texts'

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <Texts of="auth">
      <Providers>
        <AuthFrame>{children}</AuthFrame>
      </Providers>
    </Texts>
  )
}
