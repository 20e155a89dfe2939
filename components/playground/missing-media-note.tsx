'use client'
import { ImageOff } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { enumerate } from '../enumerate.ts'
import { WarnNote } from './warn-note.tsx'

/** Names the media that a request from the history had and of which only digests were kept. */
export function MissingMediaNote({ notes, onDismiss }: { notes: string[]; onDismiss: () => void }) {
  const t = useTranslations('playground')
  if (notes.length === 0) return null
  return (
    <WarnNote icon={<ImageOff />} onDismiss={onDismiss}>
      <p>{t('missing', { count: notes.length })}</p>
      <ul>
        {enumerate(notes).map(({ place, value }) => (
          <li key={place} className="mono text-second [overflow-wrap:anywhere]">
            {value}
          </li>
        ))}
      </ul>
    </WarnNote>
  )
}
