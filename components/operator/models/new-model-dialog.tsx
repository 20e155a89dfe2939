'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { changeResult } from '#lib/contracts/operator'
import { sendJson } from '../../fetch-json.ts'
import { Dialog, DialogBody } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormFooter } from '../../ui/form-footer.tsx'
import { Input } from '../../ui/input.tsx'
import { OperatorFormError } from '../operator-form-error.tsx'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import { ModelFields } from './model-fields.tsx'
import { newModelForm, readNewModel } from './model-form.ts'
import { initialRateLines, unitsOf } from './rates.ts'
import { RatesFields } from './rates-fields.tsx'

/** Creates a model that no vendor lists: its name, properties and price. */
export function NewModelDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const t = useTranslations('operator')
  const [id, setId] = useState('')
  const [form, setForm] = useState(newModelForm)
  const [lines, setLines] = useState(initialRateLines('chat'))
  const { busy, errors, general, send, refuse } = useOperatorSubmit(true)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { values, faults } = readNewModel(id, form, lines)
    if (faults) return refuse(Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, t(`faults.${fault}`)])))
    return send(async () => onCreated((await sendJson('POST', '/api/operator/models', changeResult, values)).id))
  }
  return (
    <Dialog open sticky onOpenChange={onClose} title={t('newModel')} description={t('newModelText')}>
      <form noValidate method="post" onSubmit={(event) => void submit(event)} className="flex min-h-0 flex-col">
        <DialogBody>
          <Field label={t('fields.id')} hint={t('hints.id')} error={errors.id}>
            {(control) => (
              <Input
                {...control}
                name="id"
                autoComplete="off"
                spellCheck={false}
                maxLength={200}
                value={id}
                onChange={(event) => setId(event.target.value)}
              />
            )}
          </Field>
          <ModelFields
            form={form}
            onChange={(changes) => {
              setForm({ ...form, ...changes })
              if (changes.modality !== undefined) setLines(initialRateLines(changes.modality))
            }}
            errors={errors}
          />
          <RatesFields lines={lines} onChange={setLines} units={unitsOf(form.modality, {})} errors={errors} />
          <OperatorFormError fault={general} />
        </DialogBody>
        <FormFooter label={t('create')} busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
