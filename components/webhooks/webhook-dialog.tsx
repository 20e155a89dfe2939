'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import {
  type WebhookEventType,
  type WebhookRow,
  type WebhookSecret,
  webhookEvents,
  webhookRow,
  webhookSecret,
} from '#lib/contracts/webhooks'
import { ApiError, sendJson } from '../fetch-json.ts'
import { Button } from '../ui/button.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { Dialog, DialogBody, DialogFoot } from '../ui/dialog.tsx'
import { FaultNote } from '../ui/fault-note.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { useErrorText } from '../use-error-text.ts'

interface WebhookDialogProps {
  /** The endpoint to be changed; null makes a new one. */
  row: WebhookRow | null
  onClose: () => void
  onCreated: (created: WebhookSecret) => void
  onChanged: () => void
}

type Faults = Record<string, string>

/** Asks where to send, and what. */
export function WebhookDialog({ row, onClose, onCreated, onChanged }: WebhookDialogProps) {
  const t = useTranslations('webhooks')
  const common = useTranslations('common')
  const errorText = useErrorText()
  const [url, setUrl] = useState(row?.url ?? '')
  const [description, setDescription] = useState(row?.description ?? '')
  const [events, setEvents] = useState<readonly WebhookEventType[]>(row?.events ?? webhookEvents)
  const [faults, setFaults] = useState<Faults>({})
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const found: Faults = {
      ...(/^https:\/\/\S+$/.test(url.trim()) ? {} : { url: t('urlWrong') }),
      ...(events.length > 0 ? {} : { events: t('eventsWrong') }),
    }
    setFaults(found)
    if (Object.keys(found).length > 0) return
    setBusy(true)
    const input = { url, description, events }
    try {
      if (row === null) onCreated(await sendJson('POST', '/api/webhooks', webhookSecret, input))
      else {
        await sendJson('PATCH', `/api/webhooks/${encodeURIComponent(row.id)}`, webhookRow, input)
        onChanged()
      }
    } catch (failure) {
      setFaults({ [(failure instanceof ApiError && failure.field) || 'general']: errorText(failure) })
      setBusy(false)
    }
  }
  const toggle = (one: WebhookEventType, on: boolean) =>
    setEvents(webhookEvents.filter((each) => (each === one ? on : events.includes(each))))
  return (
    <Dialog open sticky onOpenChange={(next) => !next && onClose()} title={row === null ? t('addTitle') : t('editTitle')}>
      <form noValidate method="post" onSubmit={(event) => void submit(event)} className="flex min-h-0 flex-col">
        <DialogBody>
          <Field label={t('url')} hint={t('urlHint')} error={faults.url}>
            {(control) => (
              <Input
                {...control}
                name="url"
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
                maxLength={500}
                placeholder="https://"
                value={url}
                onChange={(event) => setUrl(event.target.value)}
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
                value={description}
                onChange={(event) => setDescription(event.target.value)}
              />
            )}
          </Field>
          <fieldset className="flex flex-col gap-3">
            <legend className="mb-2 font-medium">{t('events')}</legend>
            {webhookEvents.map((one) => (
              <Checkbox
                key={one}
                checked={events.includes(one)}
                onChange={(on) => toggle(one, on)}
                label={<code className="mono">{one}</code>}
                hint={t(`eventTexts.${one.replace('.', '_') as 'balance_low'}`)}
              />
            ))}
          </fieldset>
          <FaultNote>{faults.events ?? faults.general}</FaultNote>
        </DialogBody>
        <DialogFoot>
          <Button onClick={onClose}>{common('cancel')}</Button>
          <Button type="submit" tone="primary" disabled={busy}>
            {row === null ? t('add') : t('save')}
          </Button>
        </DialogFoot>
      </form>
    </Dialog>
  )
}
