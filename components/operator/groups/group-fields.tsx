'use client'
import { useTranslations } from 'next-intl'
import type { ReactNode } from 'react'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import type { GroupForm } from './group-form.ts'

interface GroupFieldsProps {
  form: GroupForm
  onChange: (changes: Partial<GroupForm>) => void
  errors: Record<string, ReactNode>
}

const TEXT_FIELDS = [
  { name: 'name', field: 'name', mode: 'text' },
  { name: 'description', field: 'description', mode: 'text' },
  { name: 'multiplier', field: 'multiplierBp', mode: 'decimal' },
  { name: 'rpm', field: 'rpm', mode: 'numeric' },
  { name: 'tpm', field: 'tpm', mode: 'numeric' },
] as const

/** The properties of a group: its name, factor, limits, and who may use it. */
export function GroupFields({ form, onChange, errors }: GroupFieldsProps) {
  const t = useTranslations('operator')
  return (
    <>
      {TEXT_FIELDS.map(({ name, field, mode }) => (
        <Field key={name} label={t(`fields.${name}`)} hint={t(`hints.group.${name}`)} error={errors[field]}>
          {(control) => (
            <Input
              {...control}
              name={name}
              inputMode={mode}
              autoComplete="off"
              className={mode === 'text' ? '' : 'figures max-w-48'}
              value={form[name]}
              onChange={(event) => onChange({ [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
      <Checkbox
        label={t('fields.open')}
        hint={errors.open ?? t('hints.open')}
        checked={form.open}
        onChange={(open) => onChange({ open })}
      />
    </>
  )
}
