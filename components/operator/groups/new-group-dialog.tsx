'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { changeResult } from '#lib/contracts/operator'
import { sendJson } from '../../fetch-json.ts'
import { Dialog, DialogBody } from '../../ui/dialog.tsx'
import { FormFooter } from '../../ui/form-footer.tsx'
import { steepFactorChange } from '../models/steep-change.ts'
import { OperatorFormError } from '../operator-form-error.tsx'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import { GroupFields } from './group-fields.tsx'
import { newGroupForm, readGroupForm } from './group-form.ts'
import { SteepFactor } from './steep-factor.tsx'

/** Creates a group. Its models are selected on its page. */
export function NewGroupDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const t = useTranslations('operator')
  const [form, setForm] = useState(newGroupForm)
  const { busy, errors, general, send, refuse } = useOperatorSubmit(true)
  const [steep, setSteep] = useState<ReturnType<typeof steepFactorChange>>(null)
  const create = (isConfirmed: boolean) => {
    const { values, faults } = readGroupForm(form)
    if (faults) return refuse(Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, t(`faults.${fault}`)])))
    const toConfirm = isConfirmed ? null : steepFactorChange(null, values.multiplierBp)
    setSteep(toConfirm)
    if (toConfirm) return
    return send(async () => onCreated((await sendJson('POST', '/api/operator/groups', changeResult, values)).id))
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void create(false)
  }
  return (
    <Dialog open sticky onOpenChange={onClose} title={t('newGroup')} description={t('newGroupText')}>
      <form noValidate method="post" onSubmit={submit} className="flex min-h-0 flex-col">
        <DialogBody>
          <GroupFields form={form} onChange={(changes) => setForm({ ...form, ...changes })} errors={errors} />
          <OperatorFormError fault={general} />
        </DialogBody>
        <FormFooter label={t('create')} busy={busy} onCancel={onClose} />
        <SteepFactor change={steep} action={t('create')} onClose={() => setSteep(null)} onConfirm={() => void create(true)} />
      </form>
    </Dialog>
  )
}
