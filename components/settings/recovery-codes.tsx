'use client'
import { useTranslations } from 'next-intl'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { DialogBody, DialogFooter } from '../ui/dialog.tsx'

/** Shows new recovery codes, which cannot be shown again. */
export function RecoveryCodes({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  const t = useTranslations('security.second')
  return (
    <>
      <DialogBody>
        <p className="rounded-md bg-warn-tint px-3 py-2.5">{t('codesText')}</p>
        <ul data-testid="recovery-codes" className="grid gap-x-6 gap-y-1 sm:grid-cols-2">
          {codes.map((code) => (
            <li key={code} className="select-all font-mono">
              {code}
            </li>
          ))}
        </ul>
        <div>
          <CopyButton text={codes.join('\n')} label={t('copyCodes')} tone="plain">
            {t('copyCodes')}
          </CopyButton>
        </div>
      </DialogBody>
      <DialogFooter>
        <Button tone="primary" onClick={onClose}>
          {t('stored')}
        </Button>
      </DialogFooter>
    </>
  )
}
