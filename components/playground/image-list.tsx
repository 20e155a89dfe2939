'use client'
import { Trash2 } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { enumerate } from '../enumerate.ts'
import { Button } from '../ui/button.tsx'
import type { PromptImage } from './chat-types.ts'

/** The images of a prompt. With `onRemove` they can be removed. */
export function ImageList({ pictures, onRemove }: { pictures: PromptImage[]; onRemove?: (id: string) => void }) {
  const t = useTranslations('playground')
  return (
    <ul className="flex flex-wrap gap-2">
      {enumerate(pictures).map(({ place, value: { id, name, url } }) => (
        <li key={id} className="relative">
          {url.startsWith('data:') ? (
            // biome-ignore lint/performance/noImgElement: a data URL, which cannot be optimized
            <img
              src={url}
              alt={name === '' ? t('picture', { place: place + 1 }) : name}
              className="size-16 rounded-md border object-cover"
            />
          ) : (
            <span className="mono block max-w-60 truncate rounded-md border border-dashed px-2 py-1 text-second">{url}</span>
          )}
          {onRemove !== undefined && (
            <Button
              size="tiny"
              aria-label={t('removePicture', { name: name === '' ? t('picture', { place: place + 1 }) : name })}
              onClick={() => onRemove(id)}
              className="-top-2 -right-2 absolute size-6 rounded-full"
            >
              <Trash2 aria-hidden className="size-3" />
            </Button>
          )}
        </li>
      ))}
    </ul>
  )
}
