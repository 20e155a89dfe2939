'use client'
import { Send, Square } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type RefObject, useState } from 'react'
import { cn } from '../cn.ts'
import { Button } from '../ui/button.tsx'
import { Textarea } from '../ui/input.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { AddImage } from './add-image.tsx'
import type { Prompt } from './chat-types.ts'
import { ImageList } from './image-list.tsx'
import { InvalidSettingsNote } from './invalid-settings-note.tsx'
import { MAX_PICTURE_MB } from './prompt-images.ts'
import { isSecondClick } from './second-click.ts'
import { usePromptImages } from './use-prompt-images.ts'

interface ComposerProps {
  prompt: Prompt
  onChange: (change: (before: Prompt) => Prompt) => void
  onSend: () => void
  onStop: () => void
  running: boolean
  /** A setting is invalid. */
  faulty: boolean
  /** Whether the models accept images. */
  pictures: boolean
  input: RefObject<HTMLTextAreaElement | null>
}

/** Sends the prompt. Stops the answers while they are in progress. */
function SendButton({ running, disabled, onStop }: Pick<ComposerProps, 'running' | 'onStop'> & { disabled: boolean }) {
  const t = useTranslations('playground')
  return (
    <div className="flex items-center gap-3">
      <span aria-hidden className="hidden items-center gap-1.5 text-second text-sm sm:flex">
        {running ? <Kbd>Esc</Kbd> : <Kbd>Ctrl ↵</Kbd>}
      </span>
      {running ? (
        <Button onClick={(event) => isSecondClick(event) || onStop()}>
          <Square aria-hidden className="size-3.5" />
          {t('stop')}
        </Button>
      ) : (
        <Button
          type="submit"
          tone="primary"
          disabled={disabled}
          onClick={(event) => isSecondClick(event) && event.preventDefault()}
        >
          <Send aria-hidden className="size-3.5" />
          {t('send')}
        </Button>
      )}
    </div>
  )
}

/** The prompt's editor: text, and images that were chosen, pasted or dropped. */
export function Composer({ prompt, onChange, onSend, onStop, running, faulty, pictures, input }: ComposerProps) {
  const t = useTranslations('playground')
  const { fault, add, remove } = usePromptImages(prompt, onChange)
  const [isDraggedOver, setIsDraggedOver] = useState(false)
  const empty = prompt.text.trim() === '' && prompt.pictures.length === 0
  const hasUnsupportedImages = !pictures && prompt.pictures.length > 0
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
        setIsDraggedOver(true)
      }}
      onDragLeave={() => setIsDraggedOver(false)}
      onDrop={(event) => {
        setIsDraggedOver(false)
        if (!pictures || event.dataTransfer.files.length === 0) return
        event.preventDefault()
        add(event.dataTransfer.files)
      }}
      className={cn(
        'sticky bottom-3 z-10 flex flex-col gap-2 rounded-lg border bg-panel p-3 shadow-float',
        isDraggedOver && 'border-accent bg-tint',
      )}
    >
      {prompt.pictures.length > 0 && <ImageList pictures={prompt.pictures} onRemove={remove} />}
      {(fault !== null || hasUnsupportedImages) && (
        <p role="alert" className="text-bad text-sm">
          {fault !== null ? t(`pictureFaults.${fault}`, { size: MAX_PICTURE_MB }) : t('pictureFaults.blind')}
        </p>
      )}
      {faulty && <InvalidSettingsNote />}
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
          add(event.clipboardData.files)
        }}
        className="field-sizing-content max-h-60 min-h-14 resize-none"
      />
      <div className="flex items-center justify-between gap-2">
        <div className="flex items-center gap-2">{pictures && <AddImage onAdd={add} />}</div>
        <SendButton running={running} disabled={empty || hasUnsupportedImages || faulty} onStop={onStop} />
      </div>
    </form>
  )
}
