'use client'
import { Upload, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useId, useRef, useState } from 'react'
import { cn } from '../cn.ts'
import { enumerate } from '../enumerate.ts'
import { Button } from '../ui/button.tsx'

interface FileFieldProps {
  label: string
  hint?: string
  /** The `accept` attribute of the file input. */
  accept: string
  multiple?: boolean
  files: File[]
  onFiles: (files: File[]) => void
}

const sizeOf = (bytes: number): string =>
  bytes < 1024 * 1024 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / 1024 / 1024).toFixed(1)} MB`

/** The files of a call, chosen or dropped. */
export function FileField({ label, hint, accept, multiple = false, files, onFiles }: FileFieldProps) {
  const t = useTranslations('playground')
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const [isDraggedOver, setIsDraggedOver] = useState(false)
  const add = (added: Iterable<File>) => onFiles(multiple ? [...files, ...added] : [...added].slice(0, 1))
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is only a shortcut for pointers, for the button inside
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setIsDraggedOver(true)
      }}
      onDragLeave={() => setIsDraggedOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setIsDraggedOver(false)
        // Dropped text contains no files.
        if (event.dataTransfer.files.length > 0) add(event.dataTransfer.files)
      }}
      className={cn(
        'flex min-w-0 flex-col gap-2 rounded-md border border-third border-dashed p-3',
        isDraggedOver && 'border-accent bg-tint',
      )}
    >
      <label htmlFor={id} className="font-medium">
        {label}
      </label>
      <input
        ref={input}
        id={id}
        type="file"
        accept={accept}
        multiple={multiple}
        className="peer sr-only"
        onChange={(event) => {
          add(event.target.files ?? [])
          event.target.value = ''
        }}
      />
      {enumerate(files).map(({ place, value: file }) => (
        <p key={place} className="flex items-center justify-between gap-2">
          <span className="truncate">
            {file.name} <span className="figures text-second">{sizeOf(file.size)}</span>
          </span>
          <Button
            tone="ghost"
            size="tiny"
            aria-label={t('removeFile', { name: file.name })}
            onClick={() => onFiles(files.filter((_, at) => at !== place))}
          >
            <X aria-hidden className="size-3.5" />
          </Button>
        </p>
      ))}
      <Button
        size="small"
        className="self-start peer-focus-visible:outline-2 peer-focus-visible:outline-accent peer-focus-visible:outline-offset-2"
        tabIndex={-1}
        aria-hidden
        onClick={() => input.current?.click()}
      >
        <Upload aria-hidden className="size-3.5" />
        {t('chooseFile')}
      </Button>
      {hint !== undefined && <p className="text-second text-sm">{hint}</p>}
    </div>
  )
}
