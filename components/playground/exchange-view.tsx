'use client'
import { Pencil, RotateCcw, Trash2 } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import { cn } from '../cn.ts'
import { enumerate } from '../enumerate.ts'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Tooltip } from '../ui/tooltip.tsx'
import { AnswerView } from './answer-view.tsx'
import type { Exchange } from './chat-types.ts'
import { EditText } from './edit-text.tsx'
import { ImageList } from './image-list.tsx'

function IconAction({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <Tooltip text={label}>
      <Button tone="ghost" size="tiny" aria-label={label} onClick={onClick}>
        {children}
      </Button>
    </Tooltip>
  )
}

interface ExchangeViewProps {
  exchange: Exchange
  editable: boolean
  onPrompt: (text: string) => void
  onRetry: () => void
  onDelete: () => void
  onAnswer: (answerId: string, text: string) => void
  /** Sends results for the last answer of a lane. Null if the exchange cannot continue. */
  onResults: ((lane: number, answerId: string, results: Map<string, string>) => void) | null
}

/** The answers to a prompt, from one model or from two side by side. */
function Lanes({ lanes, editable, onRetry, onAnswer, onResults }: Omit<ExchangeViewProps, 'exchange'> & Pick<Exchange, 'lanes'>) {
  const shown = enumerate(lanes).filter(({ value }) => value.length > 0)
  return (
    <div className={cn('-mx-4 -mb-4 grid border-t sm:-mx-[18px] sm:-mb-[18px]', shown.length > 1 && 'xl:grid-cols-2')}>
      {shown.map(({ place, value: answers }) => (
        <div
          key={place}
          className={cn('flex min-w-0 flex-col gap-4 p-4 sm:p-[18px]', place > 0 && 'border-t xl:border-t-0 xl:border-l')}
        >
          {answers.map((answer, at) => (
            <AnswerView
              key={answer.id}
              answer={answer}
              editable={editable}
              onEdit={(text) => onAnswer(answer.id, text)}
              onRetry={editable ? onRetry : undefined}
              onResults={
                onResults !== null && at === answers.length - 1 ? (results) => onResults(place, answer.id, results) : undefined
              }
            />
          ))}
        </div>
      ))}
    </div>
  )
}

/** A prompt with its answers. */
export function ExchangeView({ exchange, ...handlers }: ExchangeViewProps) {
  const t = useTranslations('playground')
  const [editing, setEditing] = useState(false)
  const { prompt, lanes } = exchange
  const { editable, onPrompt, onRetry, onDelete } = handlers
  const answered = lanes.some((answers) => answers.length > 0)
  return (
    <Card className="flex flex-col gap-3" data-exchange={exchange.id}>
      <div className="flex items-start justify-between gap-3">
        <p className="text-second text-xs leading-7">{t('you')}</p>
        {editable && !editing && (
          <div className="flex">
            <IconAction label={t('edit')} onClick={() => setEditing(true)}>
              <Pencil aria-hidden className="size-3.5" />
            </IconAction>
            <IconAction label={t('again')} onClick={onRetry}>
              <RotateCcw aria-hidden className="size-3.5" />
            </IconAction>
            <IconAction label={t('delete')} onClick={onDelete}>
              <Trash2 aria-hidden className="size-3.5" />
            </IconAction>
          </div>
        )}
      </div>
      {editing ? (
        <EditText
          label={t('edit')}
          text={prompt.text}
          onCancel={() => setEditing(false)}
          onSave={(text) => {
            onPrompt(text)
            setEditing(false)
          }}
          onSend={(text) => {
            onPrompt(text)
            setEditing(false)
            onRetry()
          }}
        />
      ) : (
        prompt.text !== '' && <p className="whitespace-pre-wrap [overflow-wrap:anywhere]">{prompt.text}</p>
      )}
      {prompt.pictures.length > 0 && <ImageList pictures={prompt.pictures} />}
      {answered && <Lanes lanes={lanes} {...handlers} />}
      {!answered && editable && (
        <Button onClick={onRetry} className="self-start">
          {t('run')}
        </Button>
      )}
    </Card>
  )
}
