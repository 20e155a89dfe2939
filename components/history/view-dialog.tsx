'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { useErrorText } from '../use-error-text.ts'

interface Naming {
  id?: string
  name: string
  query: string
}

interface ViewDialogProps {
  naming: Naming
  /** Names of the views that everybody has. */
  usual: readonly string[]
  onSave: (view: Naming) => Promise<unknown>
  onClose: () => void
}

/** Asks for a view's name, and saves it. */
export function ViewDialog({ naming, usual, onSave, onClose }: ViewDialogProps) {
  const t = useTranslations('requests.views')
  const common = useTranslations('common')
  const errorText = useErrorText()
  const [name, setName] = useState(naming.name)
  const [error, setError] = useState<string>()
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') {
      setError(t('nameMissing'))
      return
    }
    if (usual.some((taken) => taken.toLowerCase() === name.trim().toLowerCase())) {
      setError(t('nameUsual'))
      return
    }
    setBusy(true)
    await onSave({ ...naming, name: name.trim() }).then(onClose, (failure: unknown) => setError(errorText(failure)))
    setBusy(false)
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={naming.id === undefined ? t('save') : t('rename')}
      className="sm:w-[26rem]"
    >
      <form noValidate method="post" onSubmit={(event) => void submit(event)}>
        <DialogBody>
          <Field label={t('name')} hint={naming.id === undefined ? t('nameHint') : undefined} error={error}>
            {(control) => (
              <Input
                {...control}
                maxLength={60}
                autoComplete="off"
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button tone="primary" type="submit" disabled={busy}>
            {t('confirm')}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
