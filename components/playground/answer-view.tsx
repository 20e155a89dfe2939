'use client'
import { Pencil } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { enumerate } from '../enumerate.ts'
import { CitedPages } from '../history/cited-pages-list.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Tag } from '../ui/tag.tsx'
import { useFinishReasonText } from '../use-finish-reason-text.ts'
import type { Answer } from './chat-types.ts'
import { EditText } from './edit-text.tsx'
import { FailureView } from './failure-view.tsx'
import { FiguresLine } from './figures-line.tsx'
import { ToolCalls } from './tool-calls.tsx'
import { ViewCode } from './view-code.tsx'

const PlainText = ({ text }: { text: string }) => <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</p>

const Markdown = dynamic(() => import('../ui/markdown.tsx').then((module) => module.Markdown).catch(() => PlainText), {
  ssr: false,
})

interface AnswerViewProps {
  answer: Answer
  /** Nothing is running, so the answer can be edited. */
  editable: boolean
  onEdit: (text: string) => void
  onRetry?: (() => void) | undefined
  onResults?: ((results: Map<string, string>) => void) | undefined
}

function AnswerHeader({ answer, onEdit }: { answer: Answer; onEdit: (() => void) | null }) {
  const t = useTranslations('playground')
  const finishReasonText = useFinishReasonText()
  return (
    <div className="flex min-h-7 items-center justify-between gap-2">
      <p className="flex min-w-0 flex-wrap items-center gap-2">
        <span className="mono truncate text-second">{answer.model}</span>
        {answer.state === 'running' && <Tag tone="good">{t('running')}</Tag>}
        {answer.state === 'stopped' && <Tag tone="warn">{t('stopped')}</Tag>}
        {answer.finish !== null && answer.finish !== 'stop' && <Tag>{finishReasonText(answer.finish)}</Tag>}
      </p>
      {answer.state !== 'running' && answer.text !== '' && (
        <span className="flex shrink-0">
          {onEdit !== null && (
            <Button tone="ghost" size="tiny" aria-label={t('editAnswer')} onClick={onEdit}>
              <Pencil aria-hidden className="size-3.5" />
            </Button>
          )}
          <CopyButton text={answer.text} label={t('answer')} />
        </span>
      )}
    </div>
  )
}

function AnswerImages({ images }: { images: readonly string[] }) {
  const t = useTranslations('playground')
  return (
    <ul className="flex flex-wrap gap-2">
      {enumerate(images).map(({ place, value }) => (
        <li key={place}>
          {/* biome-ignore lint/performance/noImgElement: a data URL, which cannot be optimized */}
          <img src={value} alt={t('picture', { place: place + 1 })} className="max-h-96 max-w-full rounded-md border" />
        </li>
      ))}
    </ul>
  )
}

/** An answer as it arrives: reasoning, text, images, tool calls and its cost. */
export function AnswerView({ answer, editable, onEdit, onRetry, onResults }: AnswerViewProps) {
  const t = useTranslations('playground')
  const [editing, setEditing] = useState(false)
  const { images = [], pages = [] } = answer
  const isEmpty = answer.text === '' && answer.reasoning === '' && answer.calls.length + images.length === 0
  const waiting = answer.state === 'running' && isEmpty
  return (
    <article aria-label={t('answerOf', { model: answer.model })} className="flex min-w-0 flex-col gap-2.5">
      <AnswerHeader answer={answer} onEdit={editable ? () => setEditing(true) : null} />
      {waiting && (
        <div className="flex flex-col gap-2">
          <Skeleton className="h-3.5 w-4/5" />
          <Skeleton className="h-3.5 w-3/5" />
        </div>
      )}
      {answer.reasoning !== '' && (
        <details className="rounded-md border px-2.5 py-1.5">
          <summary className="text-second text-sm">{t('thoughts')}</summary>
          <p className="mt-1.5 whitespace-pre-wrap text-second [overflow-wrap:anywhere]">{answer.reasoning}</p>
        </details>
      )}
      {editing ? (
        <EditText
          label={t('editAnswer')}
          text={answer.text}
          onSave={(text) => {
            onEdit(text)
            setEditing(false)
          }}
          onCancel={() => setEditing(false)}
        />
      ) : (
        answer.text !== '' && (
          <div data-testid="answer">
            <Markdown text={answer.text} />
          </div>
        )
      )}
      {images.length > 0 && <AnswerImages images={images} />}
      {pages.length > 0 && <CitedPages pages={pages} title={t('citedPages')} />}
      {answer.calls.length > 0 && <ToolCalls answer={answer} onResults={answer.state === 'running' ? undefined : onResults} />}
      {answer.failure !== null && <FailureView failure={answer.failure} onRetry={onRetry} />}
      {answer.state !== 'running' && (
        <div className="border-line-soft border-t pt-2">
          <FiguresLine figures={answer.figures}>
            {answer.body !== null && <ViewCode call={{ path: '/chat/completions', body: answer.body }} />}
          </FiguresLine>
        </div>
      )}
    </article>
  )
}
