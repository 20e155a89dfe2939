'use client'
import { useTranslations } from 'next-intl'
import { type ReactNode, useState } from 'react'
import type { PlatformNotice, SettingRow } from '#lib/contracts/settings'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, Textarea } from '../../ui/input.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { Tag } from '../../ui/tag.tsx'
import { CardForm } from '../card-form.tsx'
import { OperatorFormError } from '../operator-form-error.tsx'
import { useMayChange } from '../use-may-change.ts'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import { useRowForm } from '../use-row-form.ts'
import type { Settings } from './use-settings.ts'

const severities = ['info', 'warn', 'bad'] as const

/** A time in the format of `datetime-local`, in the reader's time zone. */
function toLocalInput(iso: string | null): string {
  if (iso === null) return ''
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16)
}

const NO_NOTICE: Pick<SettingRow, 'value' | 'version'> = { value: null, version: 0 }

const noticeOf = ({ value }: Pick<SettingRow, 'value'>) => value as PlatformNotice | null

interface NoticeForm {
  text: string
  severity: PlatformNotice['severity']
  until: string
}

type NoticeFault = 'notice' | 'time' | 'past'

/** The form fields of the notice. */
function noticeFormOf(row: Pick<SettingRow, 'value'>): NoticeForm {
  const stored = noticeOf(row)
  return { text: stored?.text ?? '', severity: stored?.severity ?? 'info', until: toLocalInput(stored?.until ?? null) }
}

/** Closes the API for maintenance and opens it again. */
export function MaintenanceCard({ settings }: { settings: Settings }) {
  const t = useTranslations('operatorSettings')
  const mayChange = useMayChange()
  const [asking, setAsking] = useState(false)
  const { busy, general, send } = useOperatorSubmit()
  const row = settings.rows.get('maintenance')
  const on = row?.value === true
  const setMaintenance = (value: boolean) =>
    send(() => settings.change([{ name: 'maintenance', version: row?.version ?? 0, ...(value ? { value } : { usual: true }) }]))
  return (
    <Card>
      <CardHeader title={t('maintenance')}>
        <Tag tone={on ? 'warn' : 'plain'}>{on ? t('maintenanceOn') : t('maintenanceOff')}</Tag>
      </CardHeader>
      <p className="mt-1 max-w-prose text-second">{t('maintenanceText')}</p>
      <div className="mt-3 flex flex-col items-start gap-3">
        <OperatorFormError fault={general} />
        {mayChange && (
          <Button
            disabled={busy}
            tone={on ? 'primary' : 'plain'}
            onClick={() => (on ? void setMaintenance(false) : setAsking(true))}
          >
            {on ? t('maintenanceEnd') : t('maintenanceBegin')}
          </Button>
        )}
      </div>
      <Confirm
        open={asking}
        onOpenChange={setAsking}
        title={t('maintenanceTitle')}
        description={t('maintenanceText')}
        action={t('maintenanceBegin')}
        onConfirm={() => void setMaintenance(true)}
      />
    </Card>
  )
}

interface NoticeFieldsProps {
  form: NoticeForm
  onChange: (changes: Partial<NoticeForm>) => void
  errors: Record<string, ReactNode>
}

function NoticeFields({ form, onChange, errors }: NoticeFieldsProps) {
  const t = useTranslations('operatorSettings')
  return (
    <>
      <Field label={t('noticeText')} hint={t('noticeHint')} error={errors.notice}>
        {(control) => (
          <Textarea
            {...control}
            name="notice"
            maxLength={500}
            value={form.text}
            onChange={(event) => onChange({ text: event.target.value })}
          />
        )}
      </Field>
      <div className="flex flex-col items-start gap-1.5">
        <span className="font-medium">{t('severity')}</span>
        <Segmented
          label={t('severity')}
          value={form.severity}
          onChange={(severity) => onChange({ severity })}
          options={severities.map((value) => ({ value, label: t(`severities.${value}`) }))}
        />
      </div>
      <Field label={t('until')} hint={t('untilHint')} error={errors.until}>
        {(control) => (
          <Input
            {...control}
            type="datetime-local"
            className="max-w-60"
            value={form.until}
            onChange={(event) => onChange({ until: event.target.value })}
          />
        )}
      </Field>
    </>
  )
}

/** The notice that the fields make up, or the invalid field. */
function readNotice({ text, severity, until }: NoticeForm): { value: PlatformNotice } | { field: string; fault: NoticeFault } {
  if (text.trim() === '' || text.trim().length > 500) return { field: 'notice', fault: 'notice' }
  const end = until === '' ? null : new Date(until)
  if (end && Number.isNaN(end.getTime())) return { field: 'until', fault: 'time' }
  if (end && end.getTime() <= Date.now()) return { field: 'until', fault: 'past' }
  return { value: { text: text.trim(), severity, until: end?.toISOString() ?? null } }
}

/** The notice that account holders see on every page. */
export function NoticeCard({ settings }: { settings: Settings }) {
  const t = useTranslations('operatorSettings')
  const row = settings.rows.get('notice') ?? NO_NOTICE
  const stored = noticeOf(row)
  const { form, version, change, reset } = useRowForm(row, noticeFormOf)
  const { busy, errors, general, send, refuse } = useOperatorSubmit()
  const isExpired = stored?.until != null && Date.parse(stored.until) <= Date.now()
  const state = stored === null ? 'noticeNone' : isExpired ? 'noticeOver' : 'noticeShown'
  const save = (to: { value: PlatformNotice } | { usual: true }) =>
    send(async () => {
      await settings.change([{ name: 'notice', version, ...to }])
      reset()
    })
  const publish = () => {
    const read = readNotice(form)
    if ('fault' in read) return refuse({ [read.field]: t(`faults.${read.fault}`) })
    void save(read)
  }
  const formProps = { title: t('notice'), busy, general, label: t('noticeShow'), onSubmit: publish }
  return (
    <CardForm
      {...formProps}
      aside={<Tag tone={state === 'noticeShown' ? 'good' : 'plain'}>{t(state)}</Tag>}
      more={
        stored !== null && (
          <Button disabled={busy} onClick={() => void save({ usual: true })}>
            {t('noticeTake')}
          </Button>
        )
      }
    >
      <NoticeFields form={form} onChange={change} errors={errors} />
    </CardForm>
  )
}
