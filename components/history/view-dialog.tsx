'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FormFooter } from '../ui/form-footer.tsx'
import { Input } from '../ui/input.tsx'
import { useSubmit } from '../use-submit.ts'

interface ViewDraft {
  id?: string
  name: string
  query: string
}

interface ViewDialogProps {
  draft: ViewDraft
  /** The names of the built-in views. */
  builtInNames: readonly string[]
  onSave: (view: ViewDraft) => Promise<unknown>
  onClose: () => void
}

/** Asks for the name of a view and saves the view. */
export function ViewDialog({ draft, builtInNames, onSave, onClose }: ViewDialogProps) {
  const t = useTranslations('requests.views')
  const [name, setName] = useState(draft.name)
  const { busy, problem, setProblem, run } = useSubmit()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (name.trim() === '') return setProblem({ field: null, text: t('nameMissing') })
    if (builtInNames.some((taken) => taken.toLowerCase() === name.trim().toLowerCase()))
      return setProblem({ field: null, text: t('nameUsual') })
    void run(async () => {
      await onSave({ ...draft, name: name.trim() })
      onClose()
    })
  }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={draft.id === undefined ? t('save') : t('rename')}
      className="sm:w-[26rem]"
    >
      <form noValidate method="post" onSubmit={submit}>
        <DialogBody>
          <Field label={t('name')} hint={draft.id === undefined ? t('nameHint') : undefined} error={problem?.text}>
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
        <FormFooter label={t('confirm')} busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
