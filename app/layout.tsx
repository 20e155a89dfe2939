import { GeistMono } from 'geist/font/mono'
import { GeistSans } from 'geist/font/sans'
import type { Metadata, Viewport } from 'next'
import { NextIntlClientProvider } from 'next-intl'
import { getLocale, getTranslations } from 'next-intl/server'
import type { ReactNode } from 'react'
import { Providers } from '#components/providers'
import './globals.css'

/** The title that pages put theirs in front of. */
export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('common')
  const product = t('product')
  return { title: { default: product, template: `%s · ${product}` }, description: t('sentence'), robots: { index: false } }
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fbfbfa' },
    { media: '(prefers-color-scheme: dark)', color: '#0f0f0e' },
  ],
}

/** The document. The theme is set by a script before the first paint, which React must not undo. */
export default async function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang={await getLocale()} className={`${GeistSans.variable} ${GeistMono.variable}`} suppressHydrationWarning>
      <body>
        <NextIntlClientProvider>
          <Providers>{children}</Providers>
        </NextIntlClientProvider>
      </body>
    </html>
  )
}
