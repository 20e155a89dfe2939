import Link from 'next/link'
import { useLocale, useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { cn } from '../cn.ts'
import { Logo, LogoMark } from '../shell/logo.tsx'
import { buttonStyles } from '../ui/button-styles.ts'
import { AppearanceButtons } from './appearance-buttons.tsx'
import { SiteLink } from './site-link.tsx'

const linkStyles =
  'rounded-md px-2 py-1.5 text-second transition-colors hover:text-ink aria-[current]:font-medium aria-[current]:text-ink sm:px-2.5'

function SiteHeader({ signedIn }: { signedIn: boolean }) {
  const t = useTranslations('site')
  const common = useTranslations('common')
  const locale = useLocale()
  return (
    <header className="sticky top-0 z-30 border-b bg-page">
      <div className="mx-auto flex h-14 max-w-[82rem] items-center gap-1 px-3 sm:gap-3 sm:px-7">
        <Link href="/" aria-label={common('product')} className="inline-flex rounded-md">
          <span className="max-sm:hidden">
            <Logo name={common('product')} />
          </span>
          <LogoMark className="size-[22px] sm:hidden" />
        </Link>
        <nav aria-label={t('pages')} className="flex sm:ml-4">
          <SiteLink href="/models" className={linkStyles}>
            {t('models')}
          </SiteLink>
          <SiteLink href="/docs" className={linkStyles}>
            {t('docs')}
          </SiteLink>
        </nav>
        <div className="ml-auto flex items-center gap-0.5 sm:gap-2">
          <AppearanceButtons other={locale === 'en' ? 'zh' : 'en'} themeLabel={t('otherTheme')} />
          <Link href={signedIn ? '/overview' : '/sign-in'} prefetch={false} className={cn(buttonStyles(), 'max-sm:px-2.5')}>
            {signedIn ? t('console') : t('signIn')}
          </Link>
        </div>
      </div>
    </header>
  )
}

function SiteFooter() {
  const t = useTranslations('site')
  return (
    <footer className="border-t">
      <nav
        aria-label={t('more')}
        className="mx-auto flex max-w-[82rem] flex-wrap gap-x-5 gap-y-2 px-4 py-6 text-second text-sm sm:px-7 [&_a:hover]:text-ink [&_a:hover]:underline"
      >
        <Link href="/models" prefetch={false}>
          {t('models')}
        </Link>
        <Link href="/docs" prefetch={false}>
          {t('docs')}
        </Link>
        <a href="/openapi.json">{t('openapi')}</a>
        <a href="/api/models">{t('pricesJson')}</a>
      </nav>
    </footer>
  )
}

/** The frame of every public page. */
export function SiteFrame({ signedIn, children }: { signedIn: boolean; children: ReactNode }) {
  const t = useTranslations('shell')
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-accent px-3 py-1.5 text-on-accent focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        {t('skip')}
      </a>
      <SiteHeader signedIn={signedIn} />
      <main id="content" tabIndex={-1} className="mx-auto w-full min-w-0 max-w-[82rem] flex-1 px-4 py-7 outline-none sm:px-7">
        {children}
      </main>
      <SiteFooter />
    </div>
  )
}
