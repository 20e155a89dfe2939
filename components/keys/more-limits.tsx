'use client'
import { ChevronRight } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type InputHTMLAttributes, type ReactNode, useId, useState } from 'react'
import type { GroupRow } from '#lib/contracts/keys'
import { Checkbox } from '../ui/checkbox.tsx'
import { Field } from '../ui/field.tsx'
import { Input, Textarea } from '../ui/input.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { type KeyField, type KeyForm, modelChoices } from './key-form.ts'

interface LimitsProps {
  form: KeyForm
  onChange: (changes: Partial<KeyForm>) => void
  errors: Partial<Record<KeyField, ReactNode>>
  group: GroupRow | undefined
}

type TextName = 'limitTotal' | 'limitMonth' | 'rpm' | 'tpm' | 'expires'
const fields: { name: TextName; field: KeyField; attributes: InputHTMLAttributes<HTMLInputElement> }[] = [
  { name: 'limitTotal', field: 'limitTotalNano', attributes: { inputMode: 'decimal', placeholder: '$' } },
  { name: 'limitMonth', field: 'limitMonthNano', attributes: { inputMode: 'decimal', placeholder: '$' } },
  { name: 'rpm', field: 'rpm', attributes: { inputMode: 'numeric' } },
  { name: 'tpm', field: 'tpm', attributes: { inputMode: 'numeric' } },
  { name: 'expires', field: 'expiresAt', attributes: { type: 'date' } },
]

const MIN_MODELS_FOR_SEARCH = 9

function ModelCheckboxes({ form, onChange, errors, group }: LimitsProps) {
  const t = useTranslations('keys')
  const [search, setSearch] = useState('')
  const note = useId()
  const models = modelChoices(group?.models ?? [], form.models)
  const shown = models.filter((model) => model.toLowerCase().includes(search.trim().toLowerCase()))
  return (
    <fieldset
      aria-describedby={note}
      {...(errors.modelAllow === undefined ? {} : { tabIndex: -1, 'data-invalid': true })}
      className="flex min-w-0 flex-col gap-1.5"
    >
      <legend className="mb-1.5 font-medium">{t('models')}</legend>
      {models.length >= MIN_MODELS_FOR_SEARCH && (
        <SearchInput label={t('searchModels')} value={search} onChange={setSearch} className="sm:w-full" />
      )}
      <div className="flex max-h-44 flex-col gap-2 overflow-y-auto rounded-md border p-3">
        {shown.map((model) => (
          <Checkbox
            key={model}
            label={model}
            checked={form.models.includes(model)}
            onChange={(checked) =>
              onChange({ models: checked ? [...form.models, model] : form.models.filter((name) => name !== model) })
            }
          />
        ))}
        {shown.length === 0 && <p className="text-second">{t('noModels')}</p>}
      </div>
      {errors.modelAllow === undefined ? (
        <p id={note} className="text-second text-sm">
          {form.models.length === 0 ? t('allModels') : t('chosenModels', { count: form.models.length })}
        </p>
      ) : (
        <p id={note} role="alert" className="text-bad text-sm">
          {errors.modelAllow}
        </p>
      )}
    </fieldset>
  )
}

/** Additional limits of a key. Collapsed, because few keys need them. */
export function MoreLimits({ form, onChange, errors, group, open }: LimitsProps & { open: boolean }) {
  const t = useTranslations('keys')
  return (
    <details open={open} className="group/limits rounded-md border">
      <summary className="flex list-none items-center gap-2 rounded-md px-3 py-2 font-medium transition-colors hover:bg-hover [&::-webkit-details-marker]:hidden">
        <ChevronRight aria-hidden className="size-4 text-second transition-transform group-open/limits:rotate-90" />
        {t('moreLimits')}
      </summary>
      <div className="flex flex-col gap-5 border-line-soft border-t p-3.5">
        <div className="grid gap-x-4 gap-y-5 sm:grid-cols-2">
          {fields.map(({ name, field, attributes }) => (
            <Field key={name} label={t(`fields.${name}`)} hint={t(`hints.${name}`)} error={errors[field]}>
              {(control) => (
                <Input
                  {...control}
                  {...attributes}
                  name={field}
                  autoComplete="off"
                  value={form[name]}
                  onChange={(event) => onChange({ [name]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
        <ModelCheckboxes form={form} onChange={onChange} errors={errors} group={group} />
        <Field label={t('fields.addresses')} hint={t('hints.addresses')} error={errors.addressAllow}>
          {(control) => (
            <Textarea
              {...control}
              name="addressAllow"
              rows={2}
              spellCheck={false}
              value={form.addresses}
              onChange={(event) => onChange({ addresses: event.target.value })}
            />
          )}
        </Field>
        <Checkbox
          label={t('fields.history')}
          hint={t('hints.history')}
          checked={form.history}
          onChange={(history) => onChange({ history })}
        />
      </div>
    </details>
  )
}
