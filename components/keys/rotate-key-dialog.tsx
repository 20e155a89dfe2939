'use client'
import { useTranslations } from 'next-intl'
import { RadioGroup } from 'radix-ui'
import { type ReactNode, useId, useState } from 'react'
import { type CreatedKey, createdKey, type KeyRow, type Overlap, overlap } from '#lib/contracts/keys'
import { sendJson } from '../fetch-json.ts'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { FormError } from '../ui/form-error.tsx'
import { FormFooter } from '../ui/form-footer.tsx'
import { useErrorText } from '../use-error-text.ts'

interface RotateKeyDialogProps {
  row: KeyRow
  open: boolean
  onOpenChange: (open: boolean) => void
  onRotated: (rotated: CreatedKey) => void
}

/** Asks how long the old secret stays valid, and makes a new one. */
export function RotateKeyDialog({ row, open, onOpenChange, onRotated }: RotateKeyDialogProps) {
  const t = useTranslations('key')
  const errorText = useErrorText()
  const id = useId()
  const [chosen, setChosen] = useState<Overlap>('24h')
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<ReactNode>(null)
  const rotate = async () => {
    setBusy(true)
    setFailure(null)
    await sendJson('POST', `/api/keys/${encodeURIComponent(row.id)}/rotate`, createdKey, { overlap: chosen }).then(
      (rotated) => {
        onOpenChange(false)
        onRotated(rotated)
      },
      (error) => setFailure(errorText(error)),
    )
    setBusy(false)
  }
  return (
    <Dialog
      open={open}
      onOpenChange={onOpenChange}
      title={t('rotateTitle', { name: row.name })}
      description={t('rotateText')}
      sticky
      held={busy}
    >
      <DialogBody>
        <div className="flex flex-col gap-2">
          <span id={id} className="font-medium">
            {t('overlapLabel', { hint: row.hint })}
          </span>
          <RadioGroup.Root
            aria-labelledby={id}
            value={chosen}
            onValueChange={(value) => setChosen(overlap.parse(value))}
            className="grid grid-cols-2 gap-2 sm:grid-cols-4"
          >
            {overlap.options.map((value) => (
              <RadioGroup.Item
                key={value}
                value={value}
                {...(value === chosen ? { 'data-first': true } : {})}
                className="h-9 rounded-md border text-sm transition-colors hover:bg-hover data-[state=checked]:border-accent data-[state=checked]:bg-tint data-[state=checked]:font-medium"
              >
                {t(`overlaps.${value}`)}
              </RadioGroup.Item>
            ))}
          </RadioGroup.Root>
          <p className="text-second text-sm">{t(chosen === 'now' ? 'overlapHint.now' : 'overlapHint.later')}</p>
        </div>
        <FormError>{failure}</FormError>
      </DialogBody>
      <FormFooter
        label={busy ? t('rotating') : t('rotate')}
        busy={busy}
        held={busy}
        onCancel={() => onOpenChange(false)}
        onSend={() => void rotate()}
      />
    </Dialog>
  )
}
