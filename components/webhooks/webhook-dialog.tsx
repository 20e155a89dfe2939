'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useState } from 'react'
import {
  type WebhookEventType,
  type WebhookRow,
  type WebhookSecret,
  webhookEvents,
  webhookRow,
  webhookSecret,
} from '#lib/contracts/webhooks'
import { ApiError, sendJson } from '../fetch-json.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FormError } from '../ui/form-error.tsx'
import { FormFooter } from '../ui/form-footer.tsx'
import { Input } from '../ui/input.tsx'
import { useErrorText } from '../use-error-text.ts'

interface WebhookDialogProps {
  /** The endpoint to change. Null creates a new one. */
  row: WebhookRow | null
  onClose: () => void
  onCreated: (created: WebhookSecret) => void
  onChanged: () => void
}

type Faults = Record<string, ReactNode>

interface Endpoint {
  url: string
  description: string
  events: readonly WebhookEventType[]
}

/** The state of the dialog and its submission. Errors are kept by field, or as `general`. */
function useEndpointForm({ row, onCreated, onChanged }: Omit<WebhookDialogProps, 'onClose'>) {
  const t = useTranslations('webhooks')
  const errorText = useErrorText()
  const [endpoint, setEndpoint] = useState<Endpoint>({
    url: row?.url ?? '',
    description: row?.description ?? '',
    events: row?.events ?? webhookEvents,
  })
  const [faults, setFaults] = useState<Faults>({})
  const [busy, setBusy] = useState(false)
  const send = async () => {
    const found: Faults = {
      ...(/^https:\/\/\S+$/.test(endpoint.url.trim()) ? {} : { url: t('urlWrong') }),
      ...(endpoint.events.length > 0 ? {} : { events: t('eventsWrong') }),
    }
    setFaults(found)
    if (Object.keys(found).length > 0) return
    setBusy(true)
    try {
      if (row === null) onCreated(await sendJson('POST', '/api/webhooks', webhookSecret, endpoint))
      else {
        await sendJson('PATCH', `/api/webhooks/${encodeURIComponent(row.id)}`, webhookRow, endpoint)
        onChanged()
      }
    } catch (failure) {
      setFaults({ [(failure instanceof ApiError && failure.field) || 'general']: errorText(failure) })
      setBusy(false)
    }
  }
  const change = (changes: Partial<Endpoint>) => setEndpoint({ ...endpoint, ...changes })
  return { endpoint, change, faults, busy, send }
}

interface EventFieldsProps {
  chosen: readonly WebhookEventType[]
  onChange: (chosen: readonly WebhookEventType[]) => void
}

function EventFields({ chosen, onChange }: EventFieldsProps) {
  const t = useTranslations('webhooks')
  const toggle = (one: WebhookEventType, on: boolean) =>
    onChange(webhookEvents.filter((each) => (each === one ? on : chosen.includes(each))))
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium">{t('events')}</legend>
      {webhookEvents.map((one) => (
        <Checkbox
          key={one}
          checked={chosen.includes(one)}
          onChange={(on) => toggle(one, on)}
          label={<code className="mono">{one}</code>}
          hint={t(`eventTexts.${one.replace('.', '_') as 'balance_low'}`)}
        />
      ))}
    </fieldset>
  )
}

/** Asks for the address and the events. */
export function WebhookDialog({ onClose, ...formProps }: WebhookDialogProps) {
  const t = useTranslations('webhooks')
  const { endpoint, change, faults, busy, send } = useEndpointForm(formProps)
  const isNew = formProps.row === null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send()
  }
  return (
    <Dialog open sticky onOpenChange={(next) => !next && onClose()} title={isNew ? t('addTitle') : t('editTitle')}>
      <form noValidate method="post" onSubmit={submit} className="flex min-h-0 flex-col">
        <DialogBody>
          <Field label={t('url')} hint={t('urlHint')} error={faults.url}>
            {(control) => (
              <Input
                {...control}
                name="url"
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
                placeholder="https://"
                value={endpoint.url}
                onChange={(event) => change({ url: event.target.value })}
                className="mono"
              />
            )}
          </Field>
          <Field label={t('description')} hint={t('descriptionHint')} error={faults.description}>
            {(control) => (
              <Input
                {...control}
                name="description"
                autoComplete="off"
                maxLength={200}
                value={endpoint.description}
                onChange={(event) => change({ description: event.target.value })}
              />
            )}
          </Field>
          <EventFields chosen={endpoint.events} onChange={(events) => change({ events })} />
          <FormError>{faults.events ?? faults.general}</FormError>
        </DialogBody>
        <FormFooter label={isNew ? t('add') : t('save')} busy={busy} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
