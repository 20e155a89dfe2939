'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Textarea } from '../ui/input.tsx'

interface EditTextProps {
  label: string
  text: string
  onSave: (text: string) => void
  /** Saves and sends again, if that is offered. */
  onSend?: (text: string) => void
  onCancel: () => void
}

/** Edits a message. */
export function EditText({ label, text, onSave, onSend, onCancel }: EditTextProps) {
  const t = useTranslations('playground')
  const common = useTranslations('common')
  const [typed, setTyped] = useState(text)
  return (
    <div className="flex flex-col gap-2">
      <Textarea
        aria-label={label}
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onCancel()
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) (onSend ?? onSave)(typed)
          event.stopPropagation()
        }}
        className="min-h-28"
      />
      <div className="flex flex-wrap gap-2">
        {onSend !== undefined && (
          <Button size="small" tone="primary" onClick={() => onSend(typed)}>
            {t('saveAndSend')}
          </Button>
        )}
        <Button size="small" onClick={() => onSave(typed)}>
          {t('save')}
        </Button>
        <Button size="small" tone="ghost" onClick={onCancel}>
          {common('cancel')}
        </Button>
      </div>
    </div>
  )
}
