'use client'
import { useTranslations } from 'next-intl'
import type { ComponentProps, ReactNode } from 'react'
import { MODALITIES } from '#lib/contracts/operator'
import { useModelLabels } from '../../models/use-model-labels.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, Textarea } from '../../ui/input.tsx'
import { NativeSelect } from '../../ui/native-select.tsx'
import { NumberField } from '../../ui/number-field.tsx'
import { useFormat } from '../../use-format.ts'
import { type ModelForm, NUMBER_FIELDS } from './model-form.ts'

interface ModelFieldsProps {
  form: ModelForm
  onChange: (changes: Partial<ModelForm>) => void
  errors: Record<string, ReactNode>
}

interface TextFieldProps extends ModelFieldsProps, Pick<ComponentProps<'input'>, 'maxLength' | 'spellCheck'> {
  name: 'ownedBy' | 'capabilities'
}

/** A text field. Its name in the form is also the key of its texts and errors. */
function TextField({ name, form, onChange, errors, ...input }: TextFieldProps) {
  const t = useTranslations('operator')
  return (
    <Field label={t(`fields.${name}`)} hint={t(`hints.${name}`)} error={errors[name]}>
      {(control) => (
        <Input
          {...control}
          {...input}
          name={name}
          autoComplete="off"
          value={form[name]}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      )}
    </Field>
  )
}

function NumberFields({ form, onChange, errors }: ModelFieldsProps) {
  const t = useTranslations('operator')
  const format = useFormat()
  return (
    <div className="grid gap-x-4 gap-y-5 sm:grid-cols-3">
      {NUMBER_FIELDS.map((name) => (
        <NumberField
          key={name}
          label={t(`fields.${name}`)}
          hint={format.sentences([t(`hints.${name}`), form.assumed.some((size) => size === name) && t('hints.assumed')])}
          error={errors[name]}
          name={name}
          inputMode="numeric"
          value={form[name]}
          onChange={(text) => onChange({ [name]: text })}
        />
      ))}
    </div>
  )
}

/** The properties of a model, except its name, price and deployments. */
export function ModelFields(props: ModelFieldsProps) {
  const { form, onChange, errors } = props
  const t = useTranslations('operator')
  const labels = useModelLabels()
  return (
    <>
      <NativeSelect
        label={t('fields.modality')}
        value={form.modality}
        onChange={(modality) => onChange({ modality })}
        options={MODALITIES.map((value) => ({ value, label: labels.modality(value) }))}
        className="self-start"
      />
      <TextField name="ownedBy" {...props} maxLength={60} />
      <NumberFields {...props} />
      {form.assumed.length > 0 && (
        <Checkbox
          label={t('fields.statesSizes')}
          hint={t('hints.statesSizes')}
          checked={form.statesSizes}
          onChange={(statesSizes) => onChange({ statesSizes })}
        />
      )}
      <TextField name="capabilities" {...props} spellCheck={false} />
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
