'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, type ReactNode, useRef, useState } from 'react'
import type { SettingRow } from '#lib/contracts/settings'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { useFormat } from '../../use-format.ts'
import { FormFields } from '../form-fields.tsx'
import { OperatorFormError } from '../operator-form-error.tsx'
import { useMayChange } from '../use-may-change.ts'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import { SettingOrigin } from './setting-origin.tsx'
import {
  boundsOf,
  type FieldArea,
  type FieldName,
  fieldsOf,
  readField,
  type SettingEdits,
  textOf,
  withEdit,
} from './settings-form.ts'
import type { Settings } from './use-settings.ts'

interface SettingFieldProps {
  name: FieldName
  row: SettingRow
  text: string
  error: ReactNode
  onChange: (text: string) => void
  /** Resets to the environment's value. Null if that is the current one. */
  onReset: (() => void) | null
}

function SettingField({ name, row, text, error, onChange, onReset }: SettingFieldProps) {
  const t = useTranslations('operatorSettings')
  const format = useFormat()
  const bounds = boundsOf(name)
  const range = bounds && t('range', { least: format.count(bounds.least), most: format.count(bounds.most) })
  const hint = format.sentences([t(`hints.${name}`), range])
  if (name === 'signUp')
    return (
      <div data-setting={name} className="flex flex-col items-start gap-1.5">
        <div className="flex w-full flex-wrap items-baseline justify-between gap-x-3 gap-y-1">
          <span className="font-medium">{t('names.signUp')}</span>
          <SettingOrigin row={row} />
        </div>
        <Segmented
          label={t('names.signUp')}
          value={text}
          onChange={onChange}
          options={(['open', 'closed'] as const).map((value) => ({ value, label: t(`signUp.${value}`) }))}
        />
        <p className="text-second text-sm">{hint}</p>
        {onReset && <ResetButton name={name} row={row} onUsual={onReset} />}
      </div>
    )
  return (
    <div data-setting={name} className="flex flex-col items-start gap-1.5">
      <NumberField
        label={t(`names.${name}`)}
        hint={hint}
        error={error}
        aside={<SettingOrigin row={row} />}
        className="w-full"
        name={name}
        value={text}
        onChange={onChange}
        inputClassName="max-w-48"
      />
      {onReset && <ResetButton name={name} row={row} onUsual={onReset} />}
    </div>
  )
}

function ResetButton({ name, row, onUsual: onReset }: { name: FieldName; row: SettingRow; onUsual: () => void }) {
  const t = useTranslations('operatorSettings')
  const value = name === 'signUp' ? t(`signUp.${row.usual === 'closed' ? 'closed' : 'open'}`) : textOf(name, row.usual)
  return (
    <Button size="small" aria-label={t('usualNamed', { name: t(`names.${name}`), value })} onClick={onReset}>
      {t('usual', { value })}
    </Button>
  )
}

/** The settings of one area. Only changed ones are sent. */
export function SettingsCard({ area, settings }: { area: FieldArea; settings: Settings }) {
  const t = useTranslations('operatorSettings')
  const format = useFormat()
  const mayChange = useMayChange()
  const card = useRef<HTMLDivElement>(null)
  const [typed, setTyped] = useState<SettingEdits>({})
  const { busy, errors, general, send, refuse } = useOperatorSubmit()
  const { rows, change } = settings
  const shown = fieldsOf(area).flatMap((name) => {
    const row = rows.get(name)
    return row ? [{ name, row, ...(typed[name] ?? { text: textOf(name, row.value), version: row.version }) }] : []
  })
  const edited = shown.filter(({ name, row, text }) => text !== textOf(name, row.value))
  const discardEdits = (names: FieldName[]) =>
    setTyped((before) => Object.fromEntries(Object.entries(before).filter(([name]) => !names.includes(name as FieldName))))
  const save = (event: FormEvent) => {
    event.preventDefault()
    const read = edited.map(({ name, version, text }) => ({ name, version, ...readField(name, text) }))
    const faults = read.flatMap((item) => {
      if (!('fault' in item)) return []
      const bounds = boundsOf(item.name) ?? { least: 0, most: 0 }
      const values = { least: format.count(bounds.least), most: format.count(bounds.most) }
      return [[item.name, t(`faults.${item.fault}`, values)]]
    })
    if (faults.length > 0) return refuse(Object.fromEntries(faults))
    return void send(async () => {
      await change(read.flatMap((item) => ('value' in item ? [item] : [])))
      setTyped({})
    })
  }
  const resetSetting = (name: FieldName, version: number) =>
    send(async () => {
      await change([{ name, version, usual: true }])
      discardEdits([name])
      // The clicked button no longer exists.
      card.current?.querySelector<HTMLElement>(`[data-setting="${name}"] :is(input, [role="radio"][tabindex="0"])`)?.focus()
    })
  return (
    <Card ref={card} data-area={area}>
      <CardHeader title={t(`areas.${area}`)} />
      <form noValidate method="post" data-saves onSubmit={save} className="mt-4">
        <FormFields mayChange={mayChange} busy={busy} className="grid gap-x-10 gap-y-6 lg:grid-cols-2">
          <legend className="sr-only">{t(`areas.${area}`)}</legend>
          {shown.map(({ name, row, text }) => (
            <SettingField
              key={name}
              name={name}
              row={row}
              text={text}
              error={errors[name]}
              onChange={(next) => setTyped((before) => withEdit(before, name, row, next))}
              onReset={row.set && mayChange ? () => void resetSetting(name, row.version) : null}
            />
          ))}
        </FormFields>
        <div className="mt-5 flex flex-col items-start gap-3">
          <OperatorFormError fault={general} />
          {mayChange && (
            <Button type="submit" tone="primary" disabled={busy || edited.length === 0}>
              {t('save', { count: edited.length })}
            </Button>
          )}
        </div>
      </form>
    </Card>
  )
}
