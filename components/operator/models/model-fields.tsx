'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { MODALITIES } from '#lib/contracts/operator'
import { useWords } from '../../models/use-words.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, Textarea } from '../../ui/input.tsx'
import { NativeSelect } from '../../ui/native-select.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { type ModelForm, NUMBERS } from './model-form.ts'

interface ModelFieldsProps {
  form: ModelForm
  onChange: (changes: Partial<ModelForm>) => void
  errors: Record<string, ReactNode>
}

/** What a model is: everything but its name, its price and who runs it. */
export function ModelFields({ form, onChange, errors }: ModelFieldsProps) {
  const t = useTranslations('operator')
  const words = useWords()
  return (
    <>
      <NativeSelect
        label={t('fields.modality')}
        value={form.modality}
        onChange={(modality) => onChange({ modality })}
        options={MODALITIES.map((value) => ({ value, label: words.modality(value) }))}
        className="self-start"
      />
      <Field label={t('fields.ownedBy')} hint={t('hints.ownedBy')} error={errors.ownedBy}>
        {(control) => (
          <Input
            {...control}
            name="ownedBy"
            autoComplete="off"
            maxLength={60}
            value={form.ownedBy}
            onChange={(event) => onChange({ ownedBy: event.target.value })}
          />
        )}
      </Field>
      <div className="grid gap-x-4 gap-y-5 sm:grid-cols-3">
        {NUMBERS.map((name) => (
          <NumberField
            key={name}
            label={t(`fields.${name}`)}
            hint={t(`hints.${name}`)}
            error={errors[name]}
            name={name}
            inputMode="numeric"
            value={form[name]}
            onChange={(text) => onChange({ [name]: text })}
          />
        ))}
      </div>
      <Field label={t('fields.capabilities')} hint={t('hints.capabilities')} error={errors.capabilities}>
        {(control) => (
          <Input
            {...control}
            name="capabilities"
            autoComplete="off"
            spellCheck={false}
            value={form.capabilities}
            onChange={(event) => onChange({ capabilities: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('fields.facts')} hint={t('hints.facts')} error={errors.facts}>
        {(control) => (
          <Textarea
            {...control}
            name="facts"
            rows={4}
            spellCheck={false}
            className="font-mono"
            value={form.facts}
            onChange={(event) => onChange({ facts: event.target.value })}
          />
        )}
      </Field>
      <Checkbox
        label={t('fields.enabled')}
        hint={t('hints.enabled')}
        checked={form.enabled}
        onChange={(enabled) => onChange({ enabled })}
      />
    </>
  )
}
