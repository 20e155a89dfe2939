'use client'
import { ImagePlus } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useRef } from 'react'
import { Button } from '../ui/button.tsx'
import { IMAGE_TYPES } from './prompt-images.ts'

/** Opens the file picker for images. */
export function AddImage({ onAdd }: { onAdd: (files: Iterable<File>) => void }) {
  const t = useTranslations('playground')
  const file = useRef<HTMLInputElement>(null)
  return (
    <>
      <input
        ref={file}
        type="file"
        accept={IMAGE_TYPES}
        multiple
        hidden
        data-testid="pictures"
        onChange={(event) => {
          onAdd(event.target.files ?? [])
          event.target.value = ''
        }}
      />
      <Button tone="ghost" size="small" onClick={() => file.current?.click()}>
        <ImagePlus aria-hidden className="size-4" />
        <span className="max-sm:sr-only">{t('addPicture')}</span>
      </Button>
    </>
  )
}
