'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Card } from '../ui/card.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Tag } from '../ui/tag.tsx'
import type { SentCall } from './code-views.ts'
import { FailureView } from './failure-view.tsx'
import { FiguresLine } from './figures-line.tsx'
import type { Run } from './use-run.ts'
import { ViewCode } from './view-code.tsx'

interface ResultCardProps {
  run: Run<unknown>
  call: SentCall | null
  /** Nothing visible has arrived yet. */
  empty: boolean
  onRetry: () => void
  children: ReactNode
}

/** The result of a media call with its cost. */
export function ResultCard({ run, call, empty, onRetry, children }: ResultCardProps) {
  const t = useTranslations('playground')
  return (
    <Card className="flex flex-col gap-3" aria-label={t('result')}>
      <div className="flex items-center gap-2">
        {call !== null && <span className="mono truncate text-second">{String(call.body.model)}</span>}
        {run.state === 'running' && <Tag tone="good">{t('running')}</Tag>}
        {run.state === 'stopped' && <Tag tone="warn">{t('stopped')}</Tag>}
      </div>
      {run.state === 'running' && empty && <Skeleton className="h-40 w-full rounded-md" />}
      {!empty && children}
      {run.failure !== null && <FailureView failure={run.failure} onRetry={onRetry} />}
      {run.state !== 'running' && (
        <div className="border-line-soft border-t pt-2">
          <FiguresLine figures={run.figures} first="firstBytes">
            {call !== null && <ViewCode call={call} />}
          </FiguresLine>
        </div>
      )}
      <p aria-live="polite" className="sr-only">
        {run.state === 'running' ? t('running') : t(run.failure === null ? 'finished' : 'failed')}
      </p>
    </Card>
  )
}
