'use client'
import { SlidersHorizontal } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { useMediaQuery } from '../use-media-query.ts'

interface WorkbenchProps {
  /** The call in one line, for windows that are too narrow to show the settings. */
  summary: string
  settings: ReactNode
  children: ReactNode
}

/** The content on the left and the settings on the right. In narrow windows the settings are behind a button. */
export function Workbench({ summary, settings, children }: WorkbenchProps) {
  const t = useTranslations('playground')
  const wide = useMediaQuery('(min-width: 64rem)')
  const [open, setOpen] = useState(false)
  return (
    <div className="grid min-w-0 flex-1 content-start items-start gap-4 lg:grid-cols-[minmax(0,1fr)_296px]">
      {!wide && (
        <Button onClick={() => setOpen(true)} className="min-w-0 justify-between">
          <span className="truncate">{summary}</span>
          <SlidersHorizontal aria-hidden className="size-4" />
          <span className="sr-only">{t('settings')}</span>
        </Button>
      )}
      <div className="flex min-w-0 flex-col gap-4">{children}</div>
      {wide && (
        <aside aria-label={t('settings')} className="sticky top-[72px] max-h-[calc(100dvh-88px)] overflow-y-auto">
          <Card className="flex flex-col gap-4">{settings}</Card>
        </aside>
      )}
      {!wide && (
        <Sheet open={open} onOpenChange={setOpen} title={t('settings')} side="right" className="w-full bg-panel sm:w-[360px]">
          <div className="flex flex-col gap-4 p-4">
            {settings}
            <Button tone="primary" onClick={() => setOpen(false)}>
              {t('settingsDone')}
            </Button>
          </div>
        </Sheet>
      )}
    </div>
  )
}
