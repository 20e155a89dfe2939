'use client'
import { Play, Square } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { Button } from '../ui/button.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { InvalidSettingsNote } from './invalid-settings-note.tsx'
import { isSecondClick } from './second-click.ts'

interface RunButtonProps {
  label: string
  running: boolean
  disabled: boolean
  /** A setting is invalid. */
  faulty?: boolean
  onRun: () => void
  onStop: () => void
}

/** Starts a call, and stops it while it is in progress. */
export function RunButton({ label, running, disabled, faulty = false, onRun, onStop }: RunButtonProps) {
  const t = useTranslations('playground')
  return (
    <div className="ml-auto flex items-center gap-3">
      {faulty && <InvalidSettingsNote />}
      <span aria-hidden className="hidden sm:block">
        <Kbd>{running ? 'Esc' : 'Ctrl ↵'}</Kbd>
      </span>
      {running ? (
        <Button onClick={(event) => isSecondClick(event) || onStop()}>
          <Square aria-hidden className="size-3.5" />
          {t('stop')}
        </Button>
      ) : (
        <Button tone="primary" disabled={disabled || faulty} onClick={(event) => isSecondClick(event) || onRun()}>
          <Play aria-hidden className="size-3.5" />
          {label}
        </Button>
      )}
    </div>
  )
}
