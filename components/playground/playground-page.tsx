'use client'
import { Blocks } from 'lucide-react'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import type { ComponentType } from 'react'
import { LoadFailed } from '../load-failed.tsx'
import { notLoaded } from '../not-loaded.tsx'
import { BalanceChip } from '../shell/balance-chip.tsx'
import { PageHeader } from '../shell/page-header.tsx'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { writeAddress } from '../write-address.ts'
import { ChatGhost } from './chat-empty.tsx'
import { type Choice, MODES, type Mode } from './choose.ts'
import { GoneNote } from './gone-note.tsx'
import { useChoice } from './use-choice.ts'

const Ghost = () => (
  <div className="grid min-w-0 flex-1 items-start gap-4 lg:grid-cols-[minmax(0,1fr)_296px]">
    <div className="flex flex-col items-center gap-3 py-12">
      <Skeleton className="size-11 rounded-lg" />
      <Skeleton className="h-4 w-48" />
      <Skeleton className="h-3.5 w-80 max-w-full" />
      <Skeleton className="mt-6 h-24 w-full rounded-lg" />
    </div>
    <Skeleton className="hidden h-[480px] rounded-lg lg:block" />
  </div>
)

const Replay = dynamic(() => import('./replay.tsx').then((module) => module.Replay).catch(notLoaded), {
  ssr: false,
  loading: Ghost,
})
const modes: Record<Mode, ComponentType<{ choice: Choice }>> = {
  chat: dynamic(() => import('./chat-mode.tsx').then((module) => module.ChatMode).catch(notLoaded), {
    ssr: false,
    loading: ChatGhost,
  }),
  images: dynamic(() => import('./images-mode.tsx').then((module) => module.ImagesMode).catch(notLoaded), {
    ssr: false,
    loading: Ghost,
  }),
  speech: dynamic(() => import('./speech-mode.tsx').then((module) => module.SpeechMode).catch(notLoaded), {
    ssr: false,
    loading: Ghost,
  }),
  transcribe: dynamic(() => import('./transcribe-mode.tsx').then((module) => module.TranscribeMode).catch(notLoaded), {
    ssr: false,
    loading: Ghost,
  }),
  video: dynamic(() => import('./video-mode.tsx').then((module) => module.VideoMode).catch(notLoaded), {
    ssr: false,
    loading: Ghost,
  }),
}

function NoModels({ group }: { group: string }) {
  const t = useTranslations('playground')
  return (
    <EmptyState icon={<Blocks />} title={t('noModelsTitle')} text={t('noModelsText', { group })}>
      <Button asChild>
        <Link href="/models">{t('allModels')}</Link>
      </Button>
    </EmptyState>
  )
}

function ModePanel({ mode }: { mode: Mode }) {
  const { choice, group, gone, loading, error, retry } = useChoice(mode)
  const Panel = modes[mode]
  if (loading) return mode === 'chat' ? <ChatGhost /> : <Ghost />
  if (choice === null && error !== undefined) return <LoadFailed error={error} onRetry={retry} />
  return (
    <>
      <GoneNote gone={gone} />
      {choice === null ? <NoModels group={group?.name ?? ''} /> : <Panel choice={choice} />}
    </>
  )
}

/** The playground: try out models, at the price and within the limits of any other call. */
export function PlaygroundPage() {
  const t = useTranslations('playground')
  const params = useSearchParams()
  const mode = MODES.find((name) => name === params.get('mode')) ?? 'chat'
  const from = params.get('from')
  return (
    <div className="flex min-w-0 flex-1 flex-col">
      <PageHeader title={t('title')}>
        <BalanceChip />
      </PageHeader>
      <nav aria-label={t('modes')} className="flex gap-1 overflow-x-auto border-b px-2.5 sm:px-5">
        {MODES.map((name) => (
          <a
            key={name}
            href={`?mode=${name}`}
            {...(name === mode ? { 'aria-current': 'page' as const } : {})}
            onClick={(event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return
              event.preventDefault()
              writeAddress({ mode: name === 'chat' ? null : name, model: null, compare: null, task: null, from: null }, 'push')
            }}
            className="-outline-offset-2 whitespace-nowrap border-transparent border-b-2 px-2 py-2.5 text-second transition-colors hover:text-ink aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink"
          >
            {t(`mode.${name}`)}
          </a>
        ))}
      </nav>
      <div className="mx-auto flex w-full min-w-0 max-w-[1240px] flex-1 flex-col gap-4 px-4 py-4 sm:px-7 sm:py-5">
        {from === null ? <ModePanel key={mode} mode={mode} /> : <Replay id={from} ghost={<Ghost />} />}
      </div>
    </div>
  )
}
