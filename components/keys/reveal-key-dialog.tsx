'use client'
import { TriangleAlert } from 'lucide-react'
import { useTranslations } from 'next-intl'
import type { CreatedKey } from '#lib/contracts/keys'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx'
import { useExample } from '../use-example.ts'

function Revealed({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const t = useTranslations('keys')
  const example = useExample(created.secret, created.key)
  return (
    <>
      <DialogBody>
        <p className="flex gap-2.5 rounded-md bg-warn-tint px-3 py-2.5">
          <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-warn" />
          {t('onlyNow')}
        </p>
        <div className="flex flex-col gap-1.5">
          <span className="font-medium">{t('secret')}</span>
          <div className="flex flex-wrap items-center gap-2">
            <code
              data-testid="secret"
              className="min-w-0 flex-1 basis-64 select-all break-all rounded-md border border-third bg-page px-3 py-2 font-mono"
            >
              {created.secret}
            </code>
            <CopyButton text={created.secret} label={t('copySecret')} tone="primary">
              {t('copy')}
            </CopyButton>
          </div>
        </div>
        <CodeBlock code={example} label={t('tryIt')} />
      </DialogBody>
      <DialogFoot>
        <Button onClick={onClose}>{t('stored')}</Button>
      </DialogFoot>
    </>
  )
}

interface RevealKeyDialogProps {
  /** The key that was just made; null shows nothing. */
  created: CreatedKey | null
  onClose: () => void
}

/** Shows a new key's secret, the only time it can be shown. */
export function RevealKeyDialog({ created, onClose }: RevealKeyDialogProps) {
  const t = useTranslations('keys')
  return (
    <Dialog sticky open={created !== null} onOpenChange={onClose} title={t('createdTitle', { name: created?.key.name ?? '' })}>
      {created !== null && <Revealed created={created} onClose={onClose} />}
    </Dialog>
  )
}
