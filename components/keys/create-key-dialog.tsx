'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { type CreatedKey, createdKey, type GroupRow, groupList } from '#lib/contracts/keys'
import { ApiError, sendJson } from '../fetch-json.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { useApi } from '../use-api.ts'
import { useErrorText } from '../use-error-text.ts'
import { GroupChoice } from './group-choice.tsx'
import { emptyKeyForm, type KeyField, readKeyForm } from './key-form.ts'
import { MoreLimits } from './more-limits.tsx'

/** Puts the focus on the first field, and later on the first one that is marked wrong. */
function useFormFocus(errors: Partial<Record<KeyField, string>>) {
  const form = useRef<HTMLFormElement>(null)
  // The groups may have come after the dialog, which then had no field to put the focus on.
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  useEffect(() => {
    if (Object.keys(errors).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [errors])
  return form
}

interface KeyFormViewProps {
  groups: GroupRow[]
  limitsOpen: boolean
  onCreated: (created: CreatedKey) => void
  onCancel: () => void
}

function KeyFormView({ groups, limitsOpen, onCreated, onCancel }: KeyFormViewProps) {
  const t = useTranslations('keys')
  const common = useTranslations('common')
  const errorText = useErrorText()
  const [form, setForm] = useState(emptyKeyForm((groups.find((group) => group.isDefault) ?? groups[0])?.id ?? ''))
  const [errors, setErrors] = useState<Partial<Record<KeyField, string>>>({})
  const [general, setGeneral] = useState<string | null>(null)
  const [busy, setBusy] = useState(false)
  const element = useFormFocus(errors)
  const group = groups.find((row) => row.id === form.groupId)
  const limitFault = Object.keys(errors).some((field) => field !== 'name' && field !== 'groupId')

  const refuse = (error: unknown) => {
    const field = error instanceof ApiError ? error.field : null
    if (field === null) setGeneral(errorText(error))
    else setErrors({ [field]: errorText(error) })
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const { input, faults } = readKeyForm(form, new Date())
    setGeneral(null)
    setErrors(Object.fromEntries(Object.entries(faults ?? {}).map(([field, fault]) => [field, t(`faults.${fault}`)])))
    if (input === null) return
    setBusy(true)
    await sendJson('POST', '/api/keys', createdKey, input).then(onCreated, refuse)
    setBusy(false)
  }
  return (
    <form ref={element} noValidate onSubmit={(event) => void submit(event)} className="flex min-h-0 flex-col">
      <DialogBody>
        <Field label={t('name')} hint={t('hints.name')} error={errors.name}>
          {(control) => (
            <Input
              {...control}
              name="name"
              autoComplete="off"
              maxLength={80}
              value={form.name}
              onChange={(event) => setForm({ ...form, name: event.target.value })}
            />
          )}
        </Field>
        <GroupChoice
          groups={groups}
          value={form.groupId}
          onChange={(groupId) => setForm({ ...form, groupId, models: [] })}
          error={errors.groupId}
        />
        <MoreLimits
          open={limitsOpen || limitFault}
          form={form}
          onChange={(changes) => setForm({ ...form, ...changes })}
          errors={errors}
          group={group}
        />
        {general !== null && (
          <p role="alert" className="rounded-md bg-bad-tint px-3 py-2 text-bad">
            {general}
          </p>
        )}
      </DialogBody>
      <DialogFoot>
        <Button onClick={onCancel}>{common('cancel')}</Button>
        <Button type="submit" tone="primary" disabled={busy}>
          {busy ? t('creating') : t('create')}
        </Button>
      </DialogFoot>
    </form>
  )
}

interface CreateKeyDialogProps {
  open: boolean
  /** Unfolds what few keys need, for those who came to set a limit. */
  limitsOpen: boolean
  onOpenChange: (open: boolean) => void
  onCreated: (created: CreatedKey) => void
}

/** Asks what a new key is for and what it may do. */
export function CreateKeyDialog({ open, limitsOpen, onOpenChange, onCreated }: CreateKeyDialogProps) {
  const t = useTranslations('keys')
  const errorText = useErrorText()
  const { data, error } = useApi('/api/groups', groupList)
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={t('createTitle')} sticky>
      {data !== undefined ? (
        <KeyFormView groups={data.rows} limitsOpen={limitsOpen} onCreated={onCreated} onCancel={() => onOpenChange(false)} />
      ) : (
        <DialogBody>
          {error !== undefined ? <p className="text-bad">{errorText(error)}</p> : <Skeleton className="h-72 w-full" />}
        </DialogBody>
      )}
    </Dialog>
  )
}
