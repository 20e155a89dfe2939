'use client'
import { useTranslations } from 'next-intl'
import type { CreatedKey } from '#lib/contracts/keys'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Dialog, DialogBody, DialogFooter } from '../ui/dialog.tsx'
import { OneTimeSecret, ShownOnceNote } from '../ui/one-time-secret.tsx'
import { useExample } from '../use-example.ts'

function Revealed({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const t = useTranslations('keys')
  const example = useExample(created.secret, created.key)
  return (
    <>
      <DialogBody>
        <ShownOnceNote>{t('onlyNow')}</ShownOnceNote>
        <div className="flex flex-col gap-1.5">
          <span className="font-medium">{t('secret')}</span>
          <OneTimeSecret secret={created.secret} label={t('copySecret')} testId="secret">
            {t('copy')}
          </OneTimeSecret>
        </div>
        <CodeBlock code={example} label={t('tryIt')} />
      </DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>{t('stored')}</Button>
      </DialogFooter>
    </>
  )
}

interface RevealKeyDialogProps {
  /** The new key. If it is null, nothing is shown. */
  created: CreatedKey | null
  onClose: () => void
}

/** Shows the secret of a new key, which cannot be shown again. */
export function RevealKeyDialog({ created, onClose }: RevealKeyDialogProps) {
  const t = useTranslations('keys')
  return (
    <Dialog once open={created !== null} onOpenChange={onClose} title={t('createdTitle', { name: created?.key.name ?? '' })}>
      {created !== null && <Revealed created={created} onClose={onClose} />}
    </Dialog>
  )
}
