'use client'
import { useTranslations } from 'next-intl'
import { type ReactNode, useEffect, useInsertionEffect, useMemo } from 'react'
import { SWRConfig } from 'swr'
import type { Me } from '#lib/contracts/session'
import { ApiError, callsFor } from '../fetch-json.ts'
import { Keyboard } from '../keyboard/keyboard.tsx'
import { writeZone } from '../write-zone.ts'
import { noteAnswer, noteFailure } from './reach.ts'
import { Sidebar } from './sidebar.tsx'
import { leaveWhenSignedOut, noteSignedIn } from './signed-out.ts'
import { watchTyping } from './typing.ts'
import { UnsavedQuestion } from './unsaved-question.tsx'

/** The frame of the console: the sidebar, the account's notices, and the page. */
export function Shell({ me, children }: { me: Me; children: ReactNode }) {
  const t = useTranslations('shell')
  const config = useMemo(
    () => ({
      fallback: { '/api/me': me },
      onError: (error: unknown) => {
        leaveWhenSignedOut(error)
        noteFailure(error)
      },
      onSuccess: (_: unknown, key: string) => {
        noteAnswer()
        if (key === '/api/me') noteSignedIn()
      },
      // A refusal is final. Only failures that may be temporary are retried.
      shouldRetryOnError: (error: unknown) => !(error instanceof ApiError) || error.status === 0 || error.status >= 500,
      errorRetryInterval: 4000,
    }),
    [me],
  )
  // Before the effects of the page, which start to load data.
  useInsertionEffect(() => {
    callsFor(me.accountId)
    return () => callsFor(null)
  }, [me.accountId])
  useEffect(writeZone, [])
  useEffect(watchTyping, [])
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
      <UnsavedQuestion />
    </SWRConfig>
  )
}
