'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FormFoot } from '../ui/form-foot.tsx'
import { Input } from '../ui/input.tsx'
import { useSubmit } from '../use-submit.ts'

interface Naming {
  id?: string
  name: string
  query: string
}

interface ViewDialogProps {
  naming: Naming
  /** The names of the built-in views. */
  usual: readonly string[]
  onSave: (view: Naming) => Promise<unknown>
  onClose: () => void
}

/** Asks for the name of a view and saves the view. */
export function ViewDialog({ naming, usual, onSave, onClose }: ViewDialogProps) {
  const t = useTranslations('requests.views')
  const [name, setName] = useState(naming.name)
  const { busy, problem, setProblem, run } = useSubmit()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return setProblem({ field: null, text: t('nameMissing') })
    if (usual.some((taken) => taken.toLowerCase() === name.trim().toLowerCase()))
      return setProblem({ field: null, text: t('nameUsual') })
    void run(async () => {
      await onSave({ ...naming, name: name.trim() })
      onClose()
    })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={naming.id === undefined ? t('save') : t('rename')}
      className="sm:w-[26rem]"
    >
      <form noValidate method="post" onSubmit={submit}>
        <DialogBody>
          <Field label={t('name')} hint={naming.id === undefined ? t('nameHint') : undefined} error={problem?.text}>
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
        <FormFoot label={t('confirm')} busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
