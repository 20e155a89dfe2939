'use client'
import { useTranslations } from 'next-intl'
import type { CreatedKey } from '#lib/contracts/keys'
import { Button } from '../ui/button.tsx'
import { CodeBlock } from '../ui/code-block.tsx'
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx'
import { OnlyNow, SecretOnce } from '../ui/secret-once.tsx'
import { useExample } from '../use-example.ts'

function Revealed({ created, onClose }: { created: CreatedKey; onClose: () => void }) {
  const t = useTranslations('keys')
  const example = useExample(created.secret, created.key)
  return (
    <>
      <DialogBody>
        <OnlyNow>{t('onlyNow')}</OnlyNow>
        <div className="flex flex-col gap-1.5">
          <span className="font-medium">{t('secret')}</span>
          <SecretOnce secret={created.secret} label={t('copySecret')} testId="secret">
            {t('copy')}
          </SecretOnce>
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
