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
import { updateSearchParams } from '../update-search-params.ts'
import { ChatSkeleton } from './chat-empty.tsx'
import { MODES, type Mode, type ModelSelection } from './select-model.ts'
import { UnavailableNote } from './unavailable-note.tsx'
import { useModelSelection } from './use-model-selection.ts'

const PlaygroundSkeleton = () => (
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

const ReplayRequest = dynamic(() => import('./replay-request.tsx').then((module) => module.ReplayRequest).catch(notLoaded), {
  ssr: false,
  loading: PlaygroundSkeleton,
})
const modes: Record<Mode, ComponentType<{ choice: ModelSelection }>> = {
  chat: dynamic(() => import('./chat-mode.tsx').then((module) => module.ChatMode).catch(notLoaded), {
    ssr: false,
    loading: ChatSkeleton,
  }),
  images: dynamic(() => import('./images-mode.tsx').then((module) => module.ImagesMode).catch(notLoaded), {
    ssr: false,
    loading: PlaygroundSkeleton,
  }),
  speech: dynamic(() => import('./speech-mode.tsx').then((module) => module.SpeechMode).catch(notLoaded), {
    ssr: false,
    loading: PlaygroundSkeleton,
  }),
  transcribe: dynamic(() => import('./transcribe-mode.tsx').then((module) => module.TranscribeMode).catch(notLoaded), {
    ssr: false,
    loading: PlaygroundSkeleton,
  }),
  video: dynamic(() => import('./video-mode.tsx').then((module) => module.VideoMode).catch(notLoaded), {
    ssr: false,
    loading: PlaygroundSkeleton,
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
  const { choice, group, unavailable, loading, error, retry } = useModelSelection(mode)
  const Panel = modes[mode]
  if (loading) return mode === 'chat' ? <ChatSkeleton /> : <PlaygroundSkeleton />
  if (choice === null && error !== undefined) return <LoadFailed error={error} onRetry={retry} />
  return (
    <>
      <UnavailableNote gone={unavailable} />
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
              updateSearchParams(
                { mode: name === 'chat' ? null : name, model: null, compare: null, task: null, from: null },
                'push',
              )
            }}
            className="-outline-offset-2 whitespace-nowrap border-transparent border-b-2 px-2 py-2.5 text-second transition-colors hover:text-ink aria-[current]:border-accent aria-[current]:font-medium aria-[current]:text-ink"
          >
            {t(`mode.${name}`)}
          </a>
        ))}
      </nav>
      <div className="mx-auto flex w-full min-w-0 max-w-[1240px] flex-1 flex-col gap-4 px-4 py-4 sm:px-7 sm:py-5">
        {from === null ? <ModePanel key={mode} mode={mode} /> : <ReplayRequest id={from} ghost={<PlaygroundSkeleton />} />}
      </div>
    </div>
  )
}
