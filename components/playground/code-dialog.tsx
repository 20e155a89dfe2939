'use client'
import { useTranslations } from 'next-intl'
import type { Json } from '../history/json.ts'
import { SampleTabs } from '../site/sample-tabs.tsx'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { useMe } from '../use-me.ts'
import { codeViews, type SentCall } from './code-views.ts'

const MAX_MEDIA_LENGTH = 400

/** Shortens media in a request, which are too long to read or paste. The first characters of each show what it is. */
function shortenMedia(value: Json): Json {
  if (typeof value === 'string')
    return value.length > MAX_MEDIA_LENGTH && value.startsWith('data:') ? `${value.slice(0, 64)}…` : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(shortenMedia)
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, shortenMedia(each)]))
}

/** Shows a call as code. */
export default function CodeDialog({ call, onClose }: { call: SentCall; onClose: () => void }) {
  const t = useTranslations('playground')
  const baseUrl = useMe()?.baseUrl ?? ''
  const body = shortenMedia(call.body) as SentCall['body']
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('code')}
      description={t('codeLead')}
      className="sm:w-[46rem]"
    >
      <DialogBody>
        <SampleTabs label={t('code')} samples={codeViews(baseUrl, { ...call, body })} />
      </DialogBody>
    </Dialog>
  )
}
