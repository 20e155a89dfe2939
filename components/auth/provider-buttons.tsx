'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { Provider } from '#lib/contracts/sign-in'
import { Button } from '../ui/button.tsx'
import { useBackAgain } from '../use-back-again.ts'
import { enterWith } from './enter.ts'
import { safeNext } from './safe-next.ts'

/** Ways in other than a password, where this gateway has some. */
export function ProviderButtons({ providers, next }: { providers: readonly Provider[]; next: string | null }) {
  const t = useTranslations('signIn')
  const [busy, setBusy] = useState(false)
  useBackAgain(() => setBusy(false))
  if (providers.length === 0) return null
  const leave = (provider: Provider) => {
    setBusy(true)
    enterWith(provider, safeNext(next)).catch(() => setBusy(false))
  }
  return (
    <>
      <p className="my-4 flex items-center gap-3 text-second text-sm before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {t('or')}
      </p>
      <div className="flex flex-col gap-2">
        {providers.map((provider) => (
          <Button key={provider} size="large" disabled={busy} onClick={() => leave(provider)}>
            {t('with', { provider: t(provider) })}
          </Button>
        ))}
      </div>
    </>
  )
}
