'use client'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useInsertionEffect, useMemo } from 'react'
import { SWRConfig } from 'swr'
import type { Me } from '#lib/contracts/session'
import { ApiError, setPageAccount } from '../fetch-json.ts'
import { Keyboard } from '../keyboard/keyboard.tsx'
import { writeTimeZone } from '../write-time-zone.ts'
import { recordAnswer, recordFailure } from './reachability.ts'
import { Sidebar } from './sidebar.tsx'
import { recordSignedIn, redirectIfSignedOut } from './signed-out.ts'
import { UnreachableDialog } from './unreachable-dialog.tsx'
import { UnsavedChangesDialog } from './unsaved-changes-dialog.tsx'
import { trackTyping } from './unsaved-input.ts'

/** The frame of the console: the sidebar, the account's notices, and the page. */
export function Shell({ me, children }: { me: Me; children: ReactNode }) {
  const t = useTranslations('shell')
  const config = useMemo(
    () => ({
      fallback: { '/api/me': me },
      onError: (error: unknown) => {
        redirectIfSignedOut(error)
        recordFailure(error)
      },
      onSuccess: (_: unknown, key: string) => {
        recordAnswer()
        if (key === '/api/me') recordSignedIn()
      },
      // A refusal is final. Only failures that may be temporary are retried.
      shouldRetryOnError: (error: unknown) => !(error instanceof ApiError) || error.status === 0 || error.status >= 500,
      errorRetryInterval: 4000,
    }),
    [me],
  )
  // Before the effects of the page, which start to load data.
  useInsertionEffect(() => {
    setPageAccount(me.accountId)
    return () => setPageAccount(null)
  }, [me.accountId])
  useEffect(writeTimeZone, [])
  useEffect(trackTyping, [])
  return (
    <SWRConfig value={config}>
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-accent px-3 py-1.5 text-on-accent focus:not-sr-only focus:absolute focus:top-2 focus:left-2"
      >
        {t('skip')}
      </a>
      <div className="flex min-h-dvh">
        <Sidebar />
        <main id="content" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          {children}
        </main>
      </div>
      <Keyboard />
      <UnsavedChangesDialog />
      <UnreachableDialog />
    </SWRConfig>
  )
}
