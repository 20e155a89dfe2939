'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useState } from 'react'
import { changeResult } from '#lib/contracts/operator'
import type { AlertRule } from '#lib/contracts/operator-alerts'
import { connectionPage } from '#lib/contracts/operator-connections'
import { sendJson } from '../../fetch-json.ts'
import { toast } from '../../toast.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Dialog, DialogBody } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { FormFooter } from '../../ui/form-footer.tsx'
import { Input } from '../../ui/input.tsx'
import { NativeSelect } from '../../ui/native-select.tsx'
import { useApi } from '../../use-api.ts'
import { useMe } from '../../use-me.ts'
import { OperatorFormError } from '../operator-form-error.tsx'
import { alertApi } from '../paths.ts'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import { type AlertForm, alertFormOf, newAlertForm, readAlertForm } from './alert-form.ts'

interface FieldsProps {
  form: AlertForm
  errors: Record<string, ReactNode>
  onChange: (changes: Partial<AlertForm>) => void
}

/** A text field. `field` is its name in the API, if that differs. */
function TextField({ name, field = name, form, errors, onChange }: FieldsProps & { name: keyof AlertForm; field?: string }) {
  const t = useTranslations('operatorAlerts')
  return (
    <Field label={t(`fields.${name}`)} hint={t(`hints.${name}`)} error={errors[field] ?? errors[`${field}.0`]}>
      {(control) => (
        <Input
          {...control}
          name={name}
          autoComplete="off"
          value={String(form[name])}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      )}
    </Field>
  )
}

function ConnectionField({ form, errors, onChange }: FieldsProps) {
  const t = useTranslations('operatorAlerts')
  const rows = useApi('/api/operator/connections?limit=100', connectionPage).data?.rows ?? []
  const error = errors.connectionId ?? errors.scopeId
  return (
    <div className="flex flex-col items-start gap-1.5">
      <NativeSelect
        label={t('fields.connectionId')}
        value={form.connectionId}
        onChange={(connectionId) => onChange({ connectionId })}
        options={[{ value: '', label: t('each') }, ...rows.map(({ id, name }) => ({ value: id, label: name }))]}
      />
      {error && <p className="text-bad text-sm">{error}</p>}
    </div>
  )
}

function ConditionFields(props: FieldsProps) {
  const t = useTranslations('operatorAlerts')
  const { form, onChange } = props
  if (form.kind === 'breaker') return <TextField name="modelId" {...props} />
  if (form.kind === 'balance')
    return (
      <>
        <ConnectionField {...props} />
        <TextField name="below" field="belowNano" {...props} />
      </>
    )
  return (
    <>
      <NativeSelect
        label={t('fields.scope')}
        value={form.scope}
        onChange={(scope) => onChange({ scope: scope as AlertForm['scope'] })}
        options={(['all', 'model', 'connection'] as const).map((value) => ({ value, label: t(`scopes.${value}`) }))}
        className="self-start"
      />
      {form.scope === 'model' && <TextField name="modelId" field="scopeId" {...props} />}
      {form.scope === 'connection' && <ConnectionField {...props} />}
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField name="percent" {...props} />
        <TextField name="minutes" {...props} />
        <TextField name="leastRequests" {...props} />
      </div>
    </>
  )
}

/** The dialog for a new or existing rule. */
export function AlertDialog({ rule, onClose, onSaved }: { rule: AlertRule | null; onClose: () => void; onSaved: () => void }) {
  const t = useTranslations('operatorAlerts')
  const email = useMe()?.email ?? ''
  const [form, setForm] = useState(() => (rule === null ? newAlertForm(email) : alertFormOf(rule)))
  const { busy, errors, general, send, refuse } = useOperatorSubmit(rule === null)
  const props = { form, errors, onChange: (changes: Partial<AlertForm>) => setForm({ ...form, ...changes }) }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { values, faults } = readAlertForm(form)
    if (faults) return refuse(Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, t(`faults.${fault}`)])))
    return void send(async () => {
      if (rule === null) await sendJson('POST', '/api/operator/alerts', changeResult, values)
      else await sendJson('PATCH', alertApi(rule.id), changeResult, { ...values, version: rule.version })
      toast.success(t('saved'))
      onSaved()
    })
  }
  const title = rule === null ? t('newRule') : t('changeRule')
  return (
    <Dialog open sticky onOpenChange={onClose} title={title} description={t('ruleText')}>
      <form noValidate method="post" onSubmit={submit} className="flex min-h-0 flex-col">
        <DialogBody>
          <NativeSelect
            label={t('fields.kind')}
            value={form.kind}
            onChange={(kind) => props.onChange({ kind: kind as AlertForm['kind'] })}
            options={(['breaker', 'errors', 'balance'] as const).map((value) => ({ value, label: t(`kinds.${value}`) }))}
            className="self-start"
          />
          <ConditionFields {...props} />
          <TextField name="emails" {...props} />
          <Checkbox
            label={t('fields.webhooks')}
            hint={t('hints.webhooks')}
            checked={form.webhooks}
            onChange={(webhooks) => props.onChange({ webhooks })}
          />
          <TextField name="quietMinutes" {...props} />
          <Checkbox label={t('fields.enabled')} checked={form.enabled} onChange={(enabled) => props.onChange({ enabled })} />
          <OperatorFormError fault={general} />
        </DialogBody>
        <FormFooter label={rule === null ? t('add') : t('save')} busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
