'use client'
import { CodeXml } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { notLoaded } from '../not-loaded.tsx'
import { Button } from '../ui/button.tsx'
import type { SentCall } from './code-views.ts'

const CodeDialog = dynamic(() => import('./code-dialog.tsx').then((module) => module.default).catch(notLoaded), { ssr: false })

/** Opens a call as code, with exactly the body that was sent. */
export function ViewCode({ call }: { call: SentCall }) {
  const t = useTranslations('playground')
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button tone="ghost" size="small" onClick={() => setOpen(true)}>
        <CodeXml aria-hidden className="size-3.5" />
        {t('code')}
      </Button>
      {open && <CodeDialog call={call} onClose={() => setOpen(false)} />}
    </>
  )
}
