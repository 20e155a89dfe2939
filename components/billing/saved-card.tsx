'use client'
import { CreditCard } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import { z } from 'zod'
import { type CardView, cardPage } from '#lib/contracts/auto-top-up'
import { cardName } from '#lib/domain/card-name'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { useBfcacheRestore } from '../use-bfcache-restore.ts'
import { useErrorText } from '../use-error-text.ts'
import { useLate } from './use-late.ts'

const PATH = '/api/billing/card'
const expiry = ({ expMonth, expYear }: CardView): string => `${String(expMonth).padStart(2, '0')}/${expYear}`

interface SavedCardProps {
  card: CardView | null
  /** The reader has returned from Stripe's page after saving a card. */
  awaited: boolean
  onRemoved: () => void
}

/** The saved card, or that one is expected. */
function CardStatus({ card, awaited }: Pick<SavedCardProps, 'card' | 'awaited'>) {
  const t = useTranslations('autoTopUp')
  const isWaiting = card === null && awaited
  const late = useLate(isWaiting)
  return (
    <p className="min-w-0 flex-1 basis-44" role={isWaiting ? 'status' : undefined}>
      {card === null ? (
        <span className="text-second">{t(late ? 'waitingLate' : isWaiting ? 'waiting' : 'noCard')}</span>
      ) : (
        <>
          <span className="figures font-medium">{cardName(card)}</span>{' '}
          <span className="whitespace-nowrap text-second text-sm">{t('expires', { date: expiry(card) })}</span>
        </>
      )}
    </p>
  )
}

/** The actions on the card. A reader who leaves for the page that saves one is busy until they return. */
function useCard(onRemoved: () => void) {
  const t = useTranslations('autoTopUp')
  const errorText = useErrorText()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<ReactNode>(null)
  useBfcacheRestore(() => setBusy(false))
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setError(null)
    try {
      await work()
    } catch (failure) {
      setError(errorText(failure))
      setBusy(false)
    }
  }
  const open = () =>
    attempt(async () => {
      const { url } = await sendJson('POST', PATH, cardPage)
      window.location.assign(url)
    })
  const remove = () =>
    attempt(async () => {
      await sendJson('DELETE', PATH, z.unknown())
      toast.success(t('removed'))
      setBusy(false)
      onRemoved()
    })
  return { busy, error, open, remove }
}

/** The card for automatic payments: show, save, replace and remove it. */
export function SavedCard({ card, awaited, onRemoved }: SavedCardProps) {
  const t = useTranslations('autoTopUp')
  const [asking, setAsking] = useState(false)
  const { busy, error, open, remove } = useCard(onRemoved)
  return (
    <div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <CreditCard aria-hidden className="size-[18px] shrink-0 text-second" />
        <CardStatus card={card} awaited={awaited} />
        <span className="flex gap-2">
          <Button size="small" disabled={busy} onClick={() => void open()}>
            {t(card === null ? 'save' : 'replace')}
          </Button>
          {card !== null && (
            <Button size="small" tone="ghost" disabled={busy} onClick={() => setAsking(true)}>
              {t('remove')}
            </Button>
          )}
        </span>
      </div>
      {error !== null && (
        <p role="alert" className="mt-2 text-bad text-sm">
          {error}
        </p>
      )}
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('removeTitle')}
        description={t('removeText')}
        action={t('remove')}
        onConfirm={() => void remove()}
      />
    </div>
  )
}
