'use client'
import { ImagePlus, Send, Square } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type RefObject, useRef, useState } from 'react'
import { cn } from '../cn.ts'
import { Button } from '../ui/button.tsx'
import { Textarea } from '../ui/input.tsx'
import { Kbd } from '../ui/kbd.tsx'
import type { Prompt } from './chat-types.ts'
import { Pictures } from './picture-list.tsx'
import { joinPictures, MOST_PICTURE_MB, PICTURE_TYPES, type PictureFault, readPictures } from './pictures.ts'
import { SettingsFault } from './settings-fault.tsx'

interface ComposerProps {
  prompt: Prompt
  onChange: (change: (before: Prompt) => Prompt) => void
  onSend: () => void
  onStop: () => void
  running: boolean
  /** Something in the settings is not right. */
  faulty: boolean
  /** Whether the models see pictures. */
  pictures: boolean
  input: RefObject<HTMLTextAreaElement | null>
}

/** Where a prompt is written: text, and pictures chosen, pasted or dropped. */
export function Composer({ prompt, onChange, onSend, onStop, running, faulty, pictures, input }: ComposerProps) {
  const t = useTranslations('playground')
  const file = useRef<HTMLInputElement>(null)
  const [fault, setFault] = useState<PictureFault | null>(null)
  const [over, setOver] = useState(false)
  const empty = prompt.text.trim() === '' && prompt.pictures.length === 0
  const blind = !pictures && prompt.pictures.length > 0
  const latest = useRef(prompt)
  latest.current = prompt
  // Reading takes a while, in which the prompt may be typed on, or sent.
  const add = async (files: Iterable<File>) => {
    const read = await readPictures([...files])
    setFault(read.fault ?? joinPictures(latest.current.pictures, read.pictures).fault)
    onChange((now) => ({ ...now, pictures: joinPictures(now.pictures, read.pictures).pictures }))
  }
  const remove = (id: string) => onChange((now) => ({ ...now, pictures: now.pictures.filter((each) => each.id !== id) }))
  return (
    <form
      method="post"
      aria-label={t('compose')}
      onSubmit={(event) => {
        event.preventDefault()
        onSend()
      }}
      onDragOver={(event) => {
        if (!pictures) return
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        setOver(false)
        if (!pictures || event.dataTransfer.files.length === 0) return
        event.preventDefault()
        void add(event.dataTransfer.files)
      }}
      className={cn(
        'sticky bottom-3 z-10 flex flex-col gap-2 rounded-lg border bg-panel p-3 shadow-float',
        over && 'border-accent bg-tint',
      )}
    >
      {prompt.pictures.length > 0 && <Pictures pictures={prompt.pictures} onRemove={remove} />}
      {(fault !== null || blind) && (
        <p role="alert" className="text-bad text-sm">
          {fault !== null ? t(`pictureFaults.${fault}`, { size: MOST_PICTURE_MB }) : t('pictureFaults.blind')}
        </p>
      )}
      {faulty && <SettingsFault />}
      <Textarea
        ref={input}
        aria-label={t('prompt')}
        placeholder={t('promptPlaceholder')}
        rows={2}
        value={prompt.text}
        onChange={({ target }) => onChange((now) => ({ ...now, text: target.value }))}
        onPaste={(event) => {
          if (!pictures || event.clipboardData.files.length === 0) return
          event.preventDefault()
          void add(event.clipboardData.files)
        }}
        className="field-sizing-content max-h-60 min-h-14 resize-none"
      />
      <div className="flex items-center justify-between gap-2">
        <div className="flex items-center gap-2">
          {pictures && (
            <>
              <input
                ref={file}
                type="file"
                accept={PICTURE_TYPES}
                multiple
                hidden
                data-testid="pictures"
                onChange={(event) => {
                  void add(event.target.files ?? [])
                  event.target.value = ''
                }}
              />
              <Button tone="ghost" size="small" onClick={() => file.current?.click()}>
                <ImagePlus aria-hidden className="size-4" />
                <span className="max-sm:sr-only">{t('addPicture')}</span>
              </Button>
            </>
          )}
        </div>
        <div className="flex items-center gap-3">
          <span aria-hidden className="hidden items-center gap-1.5 text-second text-sm sm:flex">
            {running ? <Kbd>Esc</Kbd> : <Kbd>Ctrl ↵</Kbd>}
          </span>
          {running ? (
            <Button onClick={onStop}>
              <Square aria-hidden className="size-3.5" />
              {t('stop')}
            </Button>
          ) : (
            <Button type="submit" tone="primary" disabled={empty || blind || faulty}>
              <Send aria-hidden className="size-3.5" />
              {t('send')}
            </Button>
          )}
        </div>
      </div>
    </form>
  )
}
