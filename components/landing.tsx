'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { useSyncExternalStore } from 'react'
import { exampleCurl } from './curl.ts'
import { AppearanceMenu } from './shell/appearance.tsx'
import { Logo } from './shell/logo.tsx'
import { Button } from './ui/button.tsx'
import { CodeBlock } from './ui/code-block.tsx'

// The sandbox is there on every gateway, so this works before anything is connected.
const MODEL = 'sandbox/chat'

const never = () => () => {}

/** The address the reader came by. The server does not guess it: a Host header can be forged. */
const useOrigin = (): string =>
  useSyncExternalStore(
    never,
    () => window.location.origin,
    () => '',
  )

/** What this is, in one sentence and one command. */
export function Landing() {
  const t = useTranslations('landing')
  const common = useTranslations('common')
  const example = exampleCurl(`${useOrigin()}/v1`, MODEL, common('greeting'))
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex h-14 items-center justify-between px-4 sm:px-7">
        <Logo name={common('product')} />
        <div className="flex items-center gap-2">
          <AppearanceMenu />
          <Button asChild>
            <Link href="/sign-in">{t('signIn')}</Link>
          </Button>
        </div>
      </header>
      <main className="mx-auto flex w-full max-w-2xl flex-1 flex-col justify-center gap-7 px-4 pb-[16dvh] sm:px-7">
        <h1 className="text-balance font-[580] text-[1.75rem] leading-[1.2] tracking-[-0.02em] sm:text-[2.375rem]">
          {common('sentence')}
        </h1>
        <CodeBlock code={example} label={t('example')} className="bg-panel shadow-lift" />
        <div className="flex flex-wrap items-center gap-3">
          <Button asChild tone="primary" className="h-9 px-4">
            <Link href="/sign-up">{t('signUp')}</Link>
          </Button>
          <p className="text-second">{t('then')}</p>
        </div>
      </main>
    </div>
  )
}
