'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useId, useState } from 'react'
import { MAX_MODELS } from '#lib/contracts/history'
import { cn } from '../cn.ts'
import { Checkbox } from '../ui/checkbox.tsx'
import { Dialog, DialogBody } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { FormFooter } from '../ui/form-footer.tsx'
import { Input } from '../ui/input.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { endpointPath } from './endpoint-path.ts'
import { type FilterFault, type FilterForm, filterFormOf, readFilterForm } from './filter-form.ts'
import { type Filters, filterParamChanges } from './filter-params.ts'

const ENDPOINTS = [
  ...['chat.completions', 'responses', 'completions', 'embeddings', 'images.generations', 'images.edits'],
  ...['audio.speech', 'audio.transcriptions', 'audio.translations', 'videos.generations'],
]

interface SectionProps {
  form: FilterForm
  set: (change: Partial<FilterForm>) => void
  faultOf: (name: keyof FilterForm) => string | undefined
}

function ModelsSection({ form, set, faultOf, models }: SectionProps & { models: string[] }) {
  const t = useTranslations('requests.filter')
  const note = useId()
  const all = [...new Set([...models, ...form.models])]
  const fault = faultOf('models')
  return (
    <fieldset aria-describedby={note} className="min-w-0">
      <legend className="mb-1.5 font-medium">{t('models')}</legend>
      <p
        id={note}
        role={fault === undefined ? undefined : 'alert'}
        className={cn('mb-1.5 text-sm', fault === undefined ? 'text-second' : 'text-bad')}
      >
        {fault ?? t('modelsHint', { most: MAX_MODELS })}
      </p>
      <div className="grid max-h-44 gap-x-4 gap-y-1.5 overflow-y-auto rounded-md border p-2.5 sm:grid-cols-2">
        {all.map((model) => (
          <Checkbox
            key={model}
            label={model}
            checked={form.models.includes(model)}
            onChange={(checked) => set({ models: all.filter((item) => (item === model ? checked : form.models.includes(item))) })}
          />
        ))}
      </div>
    </fieldset>
  )
}

function KindFields({ form, set }: Pick<SectionProps, 'form' | 'set'>) {
  const t = useTranslations('requests.filter')
  const any = useTranslations('history')('any')
  return (
    <div className="flex flex-wrap gap-3">
      <NativeSelect
        label={t('endpoint')}
        value={form.endpoint}
        onChange={(endpoint) => set({ endpoint })}
        options={[
          { value: '', label: any },
          ...[...new Set([...ENDPOINTS, form.endpoint])]
            .filter((value) => value !== '')
            .map((value) => ({ value, label: endpointPath(value) })),
        ]}
      />
      <NativeSelect
        label={t('stream')}
        value={form.stream}
        onChange={(stream) => set({ stream })}
        options={[
          { value: '', label: any },
          { value: 'yes', label: t('streamed') },
          { value: 'no', label: t('whole') },
        ]}
      />
    </div>
  )
}

function ValueFields({ form, set, faultOf }: SectionProps) {
  const t = useTranslations('requests.filter')
  const line = (name: 'code' | 'cost' | 'took' | 'from' | 'to', type: 'text' | 'datetime-local', more: object = {}) => (
    <Field label={t(name)} hint={name === 'code' ? t('codeHint') : undefined} error={faultOf(name)}>
      {(control) => (
        <Input
          {...control}
          {...more}
          type={type}
          name={name}
          autoComplete="off"
          value={form[name]}
          onChange={(event) => set({ [name]: event.target.value })}
        />
      )}
    </Field>
  )
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {line('cost', 'text', { inputMode: 'decimal', placeholder: '0.05' })}
      {line('took', 'text', { inputMode: 'decimal', placeholder: '2.5' })}
      {line('from', 'datetime-local')}
      {line('to', 'datetime-local')}
      {line('code', 'text', { maxLength: 64, spellCheck: false })}
    </div>
  )
}

interface FilterDialogProps {
  filters: Filters
  models: string[]
  onClose: () => void
}

/** The dialog with all filters that have no control in the bar, and with a choice of several models. */
export function FilterDialog({ filters, models, onClose }: FilterDialogProps) {
  const t = useTranslations('requests.filter')
  const [form, setForm] = useState(() => filterFormOf(filters))
  const [faults, setFaults] = useState<Partial<Record<keyof FilterForm, FilterFault>>>({})
  const set = (change: Partial<FilterForm>) => setForm((previous) => ({ ...previous, ...change }))
  const faultOf = (name: keyof FilterForm) => {
    const fault = faults[name]
    return fault === undefined ? undefined : t(`faults.${fault}`, { most: MAX_MODELS })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = readFilterForm(form, filters)
    if ('faults' in read) {
      setFaults(read.faults)
      return
    }
    updateSearchParams(filterParamChanges(read.filters), 'push')
    onClose()
  }
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={t('title')} fleeting>
      <form noValidate method="post" onSubmit={submit} className="flex min-h-0 flex-col">
        <DialogBody>
          <KindFields form={form} set={set} />
          <ValueFields form={form} set={set} faultOf={faultOf} />
          <ModelsSection form={form} set={set} faultOf={faultOf} models={models} />
        </DialogBody>
        <FormFooter label={t('apply')} onCancel={onClose} />
      </form>
    </Dialog>
  )
}
