import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { AppearanceMenu } from '../shell/appearance.tsx'
import { Logo } from '../shell/logo.tsx'

/** The frame of the pages outside the console: the logo, with the theme and the language next to it. */
export function AuthFrame({ children }: { children: ReactNode }) {
  const t = useTranslations('common')
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-14 items-center justify-between px-4 sm:px-7">
        <Link href="/" className="inline-flex rounded-md">
          <Logo name={t('product')} />
        </Link>
        <AppearanceMenu />
      </header>
      <main className="mx-auto flex w-full max-w-[23rem] flex-1 flex-col justify-center px-4 pt-4 pb-[14dvh]">{children}</main>
    </div>
  )
}
