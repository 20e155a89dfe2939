'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'

interface WarnNoteProps {
  icon: ReactNode
  onDismiss: () => void
  children: ReactNode
}

/** Says that something differs from the request, until it is dismissed. */
export function WarnNote({ icon, onDismiss, children }: WarnNoteProps) {
  const t = useTranslations('playground')
  return (
    <div role="status" className="flex items-start gap-2.5 rounded-md bg-warn-tint px-3 py-2.5">
      <span aria-hidden className="mt-0.5 shrink-0 text-warn [&_svg]:size-4">
        {icon}
      </span>
      <div className="min-w-0 flex-1">{children}</div>
      <Button tone="ghost" size="tiny" aria-label={t('dismiss')} onClick={onDismiss}>
        <X aria-hidden className="size-4" />
      </Button>
    </div>
  )
}
