'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import type { CreateKeyInput, GroupRow } from '#lib/contracts/keys'
import { ApiError } from '../fetch-json.ts'
import { DialogBody } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { FormFooter } from '../ui/form-footer.tsx'
import { Input } from '../ui/input.tsx'
import { useErrorText } from '../use-error-text.ts'
import { GroupChoice } from './group-choice.tsx'
import { type KeyField, type KeyForm, readKeyForm } from './key-form.ts'
import { MoreLimits } from './more-limits.tsx'

/** Focuses the first field, and after an error the first invalid one. */
function useFormFocus(errors: Partial<Record<KeyField, ReactNode>>) {
  const form = useRef<HTMLFormElement>(null)
  // If the groups loaded after the dialog opened, there was no field to focus then.
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  useEffect(() => {
    if (Object.keys(errors).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid], [data-invalid]')?.focus()
  }, [errors])
  return form
}

interface KeyFormViewProps {
  groups: GroupRow[]
  initial: KeyForm
  /** Whether the key exists. Its group is then fixed, and an expiry day in the past may stay. */
  exists?: boolean
  limitsOpen: boolean
  /** The label of the button, when idle and while it is busy. */
  action: string
  busyAction: string
  /** Submits the form. May reject with an error of the server. */
  onSave: (input: CreateKeyInput) => Promise<unknown>
  /** Called with the form on every change. */
  onDraft?: (form: KeyForm) => void
  onCancel: () => void
}

/** The state of the form and its submission. Errors are kept by field, or as `general`. */
function useKeyForm({ initial, exists = false, onSave, onDraft }: KeyFormViewProps) {
  const t = useTranslations('keys')
  const errorText = useErrorText()
  const [form, setForm] = useState(initial)
  const [errors, setErrors] = useState<Partial<Record<KeyField, ReactNode>>>({})
  const [general, setGeneral] = useState<ReactNode>(null)
  const [busy, setBusy] = useState(false)
  const showError = (error: unknown) => {
    const field = error instanceof ApiError ? error.field : null
    if (field === null) setGeneral(errorText(error))
    else setErrors({ [field]: errorText(error) })
  }
  const send = async () => {
    const { input, faults } = readKeyForm(form, new Date(), exists ? initial.expires : undefined)
    setGeneral(null)
    setErrors(Object.fromEntries(Object.entries(faults ?? {}).map(([field, fault]) => [field, t(`faults.${fault}`)])))
    if (input === null) return
    setBusy(true)
    await onSave(input).catch(showError)
    setBusy(false)
  }
  const change = (changes: Partial<KeyForm>) => {
    const next = { ...form, ...changes }
    setForm(next)
    onDraft?.(next)
  }
  return { form, change, errors, general, busy, send }
}

/** The form of a key. Each invalid field shows its error. */
export function KeyFormView(props: KeyFormViewProps) {
  const { groups, exists = false, limitsOpen, action, busyAction, onCancel } = props
  const t = useTranslations('keys')
  const texts = useTranslations('key')
  const { form, change, errors, general, busy, send } = useKeyForm(props)
  const element = useFormFocus(errors)
  const group = groups.find((row) => row.id === form.groupId)
  const limitFault = Object.keys(errors).some((field) => field !== 'name' && field !== 'groupId')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send()
  }
  return (
    <form ref={element} noValidate method="post" onSubmit={submit} className="flex min-h-0 flex-col">
      <DialogBody>
        <Field label={t('name')} hint={t('hints.name')} error={errors.name}>
          {(control) => (
            <Input
              {...control}
              name="name"
              autoComplete="off"
              maxLength={80}
              value={form.name}
              onChange={(event) => change({ name: event.target.value })}
            />
          )}
        </Field>
        {exists ? (
          <p className="text-second text-sm">{texts('groupStays')}</p>
        ) : (
          <GroupChoice
            groups={groups}
            value={form.groupId}
            onChange={(groupId) => change({ groupId, models: [] })}
            error={errors.groupId}
          />
        )}
        <MoreLimits open={limitsOpen || limitFault} form={form} onChange={change} errors={errors} group={group} />
        <FormError>{general}</FormError>
      </DialogBody>
      <FormFooter label={busy ? busyAction : action} busy={busy} onCancel={onCancel} />
    </form>
  )
}
