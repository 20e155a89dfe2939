'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { z } from 'zod'
import { type AlertWebhook, alertWebhookSecret } from '#lib/contracts/operator-alerts'
import { sendResult } from '#lib/contracts/webhooks'
import { sendJson } from '../../fetch-json.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useErrorText } from '../../use-error-text.ts'
import { SecretDialog } from '../../webhooks/secret-dialog.tsx'
import { OperatorFormError } from '../operator-form-error.tsx'
import { alertWebhookApi } from '../paths.ts'
import { useMayChange } from '../use-may-change.ts'
import { useOperatorSubmit } from '../use-operator-submit.ts'

function AddForm({ onAdded }: { onAdded: (secret: string) => void }) {
  const t = useTranslations('operatorAlerts')
  const [url, setUrl] = useState('')
  const { busy, errors, general, send } = useOperatorSubmit(true)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void send(async () => {
      const created = await sendJson('POST', '/api/operator/alert-webhooks', alertWebhookSecret, { url })
      setUrl('')
      onAdded(created.secret)
    })
  }
  return (
    <form noValidate method="post" onSubmit={submit} className="mt-3 flex max-w-xl flex-wrap items-start gap-2">
      <Field label={t('url')} hint={t('urlHint')} error={errors.url} className="flex-1 basis-64">
        {(control) => (
          <Input
            {...control}
            name="url"
            inputMode="url"
            autoComplete="off"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" disabled={busy || url.trim() === ''} className="h-9 sm:mt-[26px]">
        {t('add')}
      </Button>
      <OperatorFormError fault={general} />
    </form>
  )
}

interface HookProps {
  hook: AlertWebhook
  /** The actions on the webhook. Null for readers who may not change anything. */
  actions: { test: () => void; enable: () => void; remove: () => void } | null
}

function Hook({ hook, actions }: HookProps) {
  const t = useTranslations('operatorAlerts')
  return (
    <li
      data-alert-webhook={hook.id}
      className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-line-soft border-b py-2.5 last:border-b-0"
    >
      <span className="flex min-w-0 flex-wrap items-center gap-2">
        <span className="mono min-w-0 break-all">{hook.url}</span>
        {!hook.enabled && <Tag tone="bad">{t(hook.disabledReason === 'gone' ? 'hookGone' : 'hookOff')}</Tag>}
        {hook.enabled && hook.failingSince !== null && <Tag tone="warn">{t('hookFailing')}</Tag>}
        {hook.description !== '' && <span className="w-full text-second text-sm">{hook.description}</span>}
      </span>
      {actions && (
        <span className="flex gap-1.5">
          {hook.enabled ? (
            <Button size="small" aria-label={t('testNamed', { url: hook.url })} onClick={actions.test}>
              {t('test')}
            </Button>
          ) : (
            <Button size="small" aria-label={t('turnOnNamed', { url: hook.url })} onClick={actions.enable}>
              {t('turnOn')}
            </Button>
          )}
          <Button size="small" aria-label={t('removeNamed', { rule: hook.url })} onClick={actions.remove}>
            {t('remove')}
          </Button>
        </span>
      )}
    </li>
  )
}

/** The actions on an endpoint. Each reports its result and then reloads the list. */
function useWebhookActions(onChanged: () => void) {
  const t = useTranslations('operatorAlerts')
  const errorText = useErrorText()
  const act = async (work: () => Promise<unknown>, successText: string) => {
    try {
      await work()
      toast.success(successText)
    } catch (failure) {
      toast.error(errorText(failure))
    }
    onChanged()
  }
  return {
    test: ({ id }: AlertWebhook) => act(() => sendJson('POST', `${alertWebhookApi(id)}/test`, sendResult), t('testSent')),
    enable: ({ id }: AlertWebhook) => act(() => sendJson('POST', `${alertWebhookApi(id)}/enable`, z.unknown()), t('hookEnabled')),
    remove: ({ id }: AlertWebhook) => act(() => sendJson('DELETE', alertWebhookApi(id), z.unknown()), t('hookRemoved')),
  }
}

/** The endpoints that receive alerts as signed requests. */
export function AlertWebhooksCard({ hooks, onChanged }: { hooks: readonly AlertWebhook[]; onChanged: () => void }) {
  const t = useTranslations('operatorAlerts')
  const mayChange = useMayChange()
  const { test, enable, remove } = useWebhookActions(onChanged)
  const [secret, setSecret] = useState<string | null>(null)
  const [toRemove, setToRemove] = useState<AlertWebhook | null>(null)
  const actionsOf = (hook: AlertWebhook) => ({
    test: () => void test(hook),
    enable: () => void enable(hook),
    remove: () => setToRemove(hook),
  })
  const handleAdded = (createdSecret: string) => {
    setSecret(createdSecret)
    onChanged()
  }
  return (
    <Card>
      <CardHeader title={t('webhooksTitle')} />
      <p className="mt-1 max-w-prose text-second">{t('webhooksText')}</p>
      <ul className="mt-1">
        {hooks.map((hook) => (
          <Hook key={hook.id} hook={hook} actions={mayChange ? actionsOf(hook) : null} />
        ))}
      </ul>
      {mayChange && <AddForm onAdded={handleAdded} />}
      {secret !== null && <SecretDialog made={{ secret, webhook: { oldSecretUntil: null } }} onClose={() => setSecret(null)} />}
      <Confirm
        open={toRemove !== null}
        onOpenChange={() => setToRemove(null)}
        title={t('hookRemoveTitle')}
        description={t('hookRemoveText')}
        action={t('remove')}
        onConfirm={() => toRemove !== null && void remove(toRemove)}
      />
    </Card>
  )
}
