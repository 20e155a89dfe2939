'use client'
import { ImageOff, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { placed } from '../placed.ts'
import { Button } from '../ui/button.tsx'

/** Names what a request out of the history had and has no more: media, of which only digests are kept. */
export function Missing({ notes, onDismiss }: { notes: string[]; onDismiss: () => void }) {
  const t = useTranslations('playground')
  if (notes.length === 0) return null
  return (
    <div role="status" className="flex items-start gap-2.5 rounded-md bg-warn-tint px-3 py-2.5">
      <ImageOff aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
      <div className="min-w-0 flex-1">
        <p>{t('missing', { count: notes.length })}</p>
        <ul>
          {placed(notes).map(({ place, value }) => (
            <li key={place} className="mono text-second [overflow-wrap:anywhere]">
              {value}
            </li>
          ))}
        </ul>
      </div>
      <Button tone="ghost" size="tiny" aria-label={t('dismiss')} onClick={onDismiss}>
        <X aria-hidden className="size-4" />
      </Button>
    </div>
  )
}
