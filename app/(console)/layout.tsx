import { NextIntlClientProvider } from 'next-intl'
import type { ReactNode } from 'react'
import { Providers } from '#components/providers'
import { Shell } from '#components/shell/shell'
import { currentUser } from '../api/session.ts'

/** The frame of the console. Without a visitor there is none: the page then leads to the sign-in. */
export default async function Layout({ children }: { children: ReactNode }) {
  const user = await currentUser()
  return user === null ? (
    children
  ) : (
    <NextIntlClientProvider>
      <Providers>
        <Shell me={user}>{children}</Shell>
      </Providers>
    </NextIntlClientProvider>
  )
}
