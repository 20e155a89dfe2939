'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { Provider } from '#lib/contracts/sign-in'
import { Button } from '../ui/button.tsx'
import { useBfcacheRestore } from '../use-bfcache-restore.ts'
import { safeNext } from './safe-next.ts'
import { signInWithProvider } from './sign-in.ts'

/** The sign-in providers, if this gateway has any. */
export function ProviderButtons({ providers, next }: { providers: readonly Provider[]; next: string | null }) {
  const t = useTranslations('signIn')
  const auth = useTranslations('auth')
  const [state, setState] = useState<'idle' | 'busy' | 'failed'>('idle')
  useBfcacheRestore(() => setState('idle'))
  if (providers.length === 0) return null
  const leave = (provider: Provider) => {
    setState('busy')
    signInWithProvider(provider, safeNext(next)).catch(() => setState('failed'))
  }
  return (
    <>
      <p className="my-4 flex items-center gap-3 text-second text-sm before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
        {t('or')}
      </p>
      <div className="flex flex-col gap-2">
        {providers.map((provider) => (
          <Button key={provider} size="large" disabled={state === 'busy'} onClick={() => leave(provider)}>
            {t('with', { provider: t(provider) })}
          </Button>
        ))}
        {state === 'failed' && (
          <p role="alert" className="text-bad text-sm">
            {auth('failed')}
          </p>
        )}
      </div>
    </>
  )
}
