import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import { AuthFrame } from '#components/auth/auth-frame'
import { Providers } from '#components/providers'

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <NextIntlClientProvider>
      <Providers>
        <AuthFrame>{children}</AuthFrame>
      </Providers>
    </NextIntlClientProvider>
  )
}
