'use client'
import { ChevronRight, Send } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { type DeliveryRow, deliveryPage, type WebhookRow } from '#lib/contracts/webhooks'
import { cn } from '../cn.ts'
import { Paged } from '../paged.tsx'
import { Button } from '../ui/button.tsx'
import { Card, CardHeader } from '../ui/card.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { Dot, Tag, type Tone } from '../ui/tag.tsx'
import { useFormat } from '../use-format.ts'
import { usePages } from '../use-pages.ts'
import { useStoredText } from '../use-stored-text.ts'
import { deliveriesPath } from './use-webhooks.ts'

const tones: Record<DeliveryRow['state'], Tone> = { pending: 'warn', delivered: 'good', failed: 'bad', dropped: 'plain' }

const formatJson = (body: string): string => JSON.stringify(JSON.parse(body), null, 2)

/** Every attempt with its response. */
function Attempts({ row }: { row: DeliveryRow }) {
  const storedText = useStoredText()
  const t = useTranslations('webhooks')
  const format = useFormat()
  return (
    <ol className="flex flex-col gap-2">
      {row.attempts.map((attempt) => (
        <li key={attempt.number} className="min-w-0">
          <p className="figures flex flex-wrap gap-x-3 text-sm">
            <time dateTime={attempt.at} className="text-second">
              {format.moment(attempt.at)}
            </time>
            <span className={cn(attempt.status !== null && attempt.status < 300 ? 'text-accent' : 'text-bad')}>
              {attempt.status ?? storedText(attempt.error ?? '')}
            </span>
            <span className="text-second">{format.duration(attempt.tookMs)}</span>
          </p>
          {attempt.answer !== '' && (
            <pre className="mono mt-1 max-h-32 overflow-auto whitespace-pre-wrap break-all rounded-sm bg-hover px-2 py-1 text-second">
              {attempt.answer}
            </pre>
          )}
        </li>
      ))}
      {row.nextAt !== null && <li className="text-second text-sm">{t('nextTry', { when: format.moment(row.nextAt) })}</li>}
    </ol>
  )
}

function Delivery({ row, onResend }: { row: DeliveryRow; onResend: (() => void) | null }) {
  const t = useTranslations('webhooks')
  const format = useFormat()
  const [open, setOpen] = useState(false)
  const last = row.attempts.at(-1)
  return (
    <li data-delivery={row.id} className="border-line-soft border-b last:border-b-0">
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex min-h-10 w-full flex-wrap items-center gap-x-3 gap-y-1 py-1.5 text-left hover:bg-hover"
      >
        <ChevronRight aria-hidden className={cn('size-4 shrink-0 text-second transition-transform', open && 'rotate-90')} />
        <time
          dateTime={row.createdAt}
          className="figures shrink-0 text-second max-sm:order-last max-sm:basis-full max-sm:pl-7 sm:w-24"
        >
          {format.moment(row.createdAt)}
        </time>
        <code className="mono min-w-0 flex-1 truncate">{row.type}</code>
        <span className="figures text-second">{last?.status ?? ''}</span>
        <Tag tone={tones[row.state]}>
          <Dot tone={tones[row.state]} className="size-1.5" />
          {t(`deliveryStates.${row.state}`)}
        </Tag>
      </button>
      {open && (
        <div className="flex flex-col gap-3 pt-1 pb-4 pl-7">
          <Attempts row={row} />
          <CodeBlock code={formatJson(row.body)} label={row.eventId} />
          {onResend !== null && (
            <div>
              <Button size="small" onClick={onResend}>
                {t('resend')}
              </Button>
            </div>
          )}
        </div>
      )}
    </li>
  )
}

interface DeliveriesCardProps {
  hook: WebhookRow
  onResend: (deliveryId: string) => Promise<void>
}

/** The deliveries to an endpoint, newest first. */
export function DeliveriesCard({ hook, onResend }: DeliveriesCardProps) {
  const t = useTranslations('webhooks')
  const first = deliveriesPath(hook.id)
  const pages = usePages(first, deliveryPage, { refreshMs: 3000 })
  const resend = (id: string) => void onResend(id).then(pages.reload)
  return (
    <Card>
      <CardHeader title={t('deliveries')}>
        <span className="mono min-w-0 max-w-full truncate text-second">{hook.url}</span>
      </CardHeader>
      <Paged
        pages={pages}
        waiting={<Skeleton className="mt-3 h-40 w-full" />}
        empty={<EmptyState icon={<Send />} title={t('noDeliveries')} text={t('noDeliveriesText')} />}
      >
        {(rows) => (
          <ul className="mt-2">
            {rows.map((row) => (
              <Delivery key={row.id} row={row} onResend={hook.enabled && row.state !== 'pending' ? () => resend(row.id) : null} />
            ))}
          </ul>
        )}
      </Paged>
    </Card>
  )
}
