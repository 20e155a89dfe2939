import { GeistMono } from 'geist/font/mono'
import { GeistSans } from 'geist/font/sans'
import type { Metadata, Viewport } from 'next'
import { headers } from 'next/headers'
import { getLocale, getTranslations } from 'next-intl/server'
import type { ReactNode } from 'react'
import { FailureTextsProvider } from '#components/failure-texts'
import { PreHydrationForms } from '#components/pre-hydration-forms'
import { PreHydrationScript } from '#components/pre-hydration-script'
import { AppThemeProvider } from '#components/theme-provider'
import { siteUrl } from './(site)/catalog.ts'
import './globals.css'

/** The default title, and the template that page titles are put into. */
export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('common')
  const product = t('product')
  return {
    metadataBase: new URL(await siteUrl()),
    title: { default: product, template: `%s · ${product}` },
    description: t('sentence'),
    openGraph: { siteName: product, type: 'website' },
    robots: { index: false },
  }
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: '#fbfbfa' },
    { media: '(prefers-color-scheme: dark)', color: '#0f0f0e' },
  ],
}

/**
 * The root document. One script sets the theme before the first paint, and React must not undo that. Another holds back forms
 * that are submitted before the page can handle them.
 */
export default async function RootLayout({ children }: { children: ReactNode }) {
  const t = await getTranslations()
  const nonce = (await headers()).get('x-nonce')
  return (
    <html lang={await getLocale()} className={`${GeistSans.variable} ${GeistMono.variable}`} suppressHydrationWarning>
      <body>
        <PreHydrationScript nonce={nonce ?? undefined} />
        <AppThemeProvider nonce={nonce ?? undefined}>
          <FailureTextsProvider failure={{ title: t('common.loadFailed'), text: t('errors.broken'), retry: t('common.retry') }}>
            {children}
          </FailureTextsProvider>
        </AppThemeProvider>
        <PreHydrationForms />
      </body>
    </html>
  )
}
