'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { changed } from '#lib/contracts/operator'
import { sendJson } from '../../fetch-json.ts'
import { Dialog, DialogBody } from '../../ui/dialog.tsx'
import { FormFoot } from '../../ui/form-foot.tsx'
import { Fault } from '../fault.tsx'
import { steepFactor } from '../models/steep.ts'
import { useSubmit } from '../use-submit.ts'
import { GroupFields } from './group-fields.tsx'
import { newGroupForm, readGroupForm } from './group-form.ts'
import { SteepFactor } from './steep-factor.tsx'

/** Creates a group. Its models are selected on its page. */
export function NewGroupDialog({ onClose, onCreated }: { onClose: () => void; onCreated: (id: string) => void }) {
  const t = useTranslations('operator')
  const [form, setForm] = useState(newGroupForm)
  const { busy, errors, general, send, refuse } = useSubmit(true)
  const [steep, setSteep] = useState<ReturnType<typeof steepFactor>>(null)
  const create = (sure: boolean) => {
    const { values, faults } = readGroupForm(form)
    if (faults) return refuse(Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, t(`faults.${fault}`)])))
    const asked = sure ? null : steepFactor(null, values.multiplierBp)
    setSteep(asked)
    if (asked) return
    return send(async () => onCreated((await sendJson('POST', '/api/operator/groups', changed, values)).id))
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
          <Fault fault={general} />
        </DialogBody>
        <FormFoot label={t('create')} busy={busy} onCancel={onClose} />
        <SteepFactor change={steep} action={t('create')} onClose={() => setSteep(null)} onConfirm={() => void create(true)} />
      </form>
    </Dialog>
  )
}
