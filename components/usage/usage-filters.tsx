'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { modelList } from '#lib/contracts/catalog'
import { keyList } from '#lib/contracts/keys'
import { Button } from '../ui/button.tsx'
import { filterBarStyles } from '../ui/filter-bar-styles.ts'
import { Input } from '../ui/input.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useApi } from '../use-api.ts'
import { daysOf, isFiltered, RANGES, type UsageChoice } from './usage-params.ts'
import { useModalityName } from './use-usage.ts'

// No id is empty, so an empty value can mean "any".
const ANY = ''

interface FilterProps {
  name: 'model' | 'key' | 'modality'
  value: string | null
  options: { value: string; label: string }[]
}

function Filter({ name, value, options }: FilterProps) {
  const t = useTranslations('usage')
  const known = value === null || options.some((option) => option.value === value)
  return (
    <NativeSelect
      label={t(`by.${name}`)}
      value={value ?? ANY}
      onChange={(next) => updateSearchParams({ [name]: next === ANY ? null : next })}
      options={[{ value: ANY, label: t('any') }, ...options, ...(known ? [] : [{ value: value ?? '', label: value }])]}
      className="h-8 max-w-60"
    />
  )
}

/** The first and the last day of a custom period. They apply once both are set. */
function DayFields({ from, to, error }: { from: string; to: string; error: string | undefined }) {
  const t = useTranslations('usage')
  const [days, setDays] = useState({ from, to })
  useEffect(() => setDays({ from, to }), [from, to])
  const submit = (event: FormEvent) => {
    event.preventDefault()
    updateSearchParams({ range: null, from: days.from, to: days.to })
  }
  return (
    <form method="get" onSubmit={submit} className="col-span-full flex flex-wrap items-center gap-2">
      {(['from', 'to'] as const).map((name) => (
        <span key={name} className="flex items-center gap-1.5">
          <label htmlFor={`period-${name}`} className="text-second text-sm">
            {t(name)}
          </label>
          <Input
            id={`period-${name}`}
            type="date"
            name={name}
            required
            value={days[name]}
            onChange={(event) => setDays({ ...days, [name]: event.target.value })}
            {...(error === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': 'period-error' })}
            className="h-8 w-auto px-2 text-sm"
          />
        </span>
      ))}
      <Button type="submit" size="small">
        {t('apply')}
      </Button>
    </form>
  )
}

interface UsageFiltersProps {
  choice: UsageChoice
  /** Why the selected days are invalid. */
  error: string | undefined
}

/** The filters of the usage page. They are kept in the address, so that they can be shared as a link. */
export function UsageFilters({ choice, error }: UsageFiltersProps) {
  const t = useTranslations('usage')
  const modalityName = useModalityName()
  const models = useApi('/api/models', modelList, { revalidateOnFocus: false }).data?.rows ?? []
  const keys = useApi('/api/keys', keyList, { revalidateOnFocus: false }).data?.rows ?? []
  const modalities = [...new Set(models.map((model) => model.modality))].sort()
  const filtered = isFiltered(choice)
  const bar = useRef<HTMLDivElement>(null)
  // The clicked button is gone then, so the focus moves to the first filter.
  const clear = () => {
    updateSearchParams({ model: null, key: null, modality: null })
    bar.current?.querySelector('select')?.focus()
  }
  const pickRange = (range: string) =>
    range === 'custom'
      ? updateSearchParams({ range: null, ...daysOf(choice, Date.now()) })
      : updateSearchParams({ range: range === '30d' ? null : range, from: null, to: null })
  return (
    <div className="flex flex-col gap-2">
      <div ref={bar} className={filterBarStyles}>
        <NativeSelect
          label={t('period')}
          value={choice.range}
          onChange={pickRange}
          options={[...RANGES, 'custom' as const].map((range) => ({ value: range, label: t(`ranges.${range}`) }))}
          className="h-8"
        />
        {choice.range === 'custom' && <DayFields from={choice.from} to={choice.to} error={error} />}
        <Filter name="model" value={choice.model} options={models.map(({ id }) => ({ value: id, label: id }))} />
        <Filter name="key" value={choice.key} options={keys.map(({ id, name }) => ({ value: id, label: name }))} />
        <Filter
          name="modality"
          value={choice.modality}
          options={modalities.map((modality) => ({ value: modality, label: modalityName(modality) }))}
        />
        {filtered && (
          <Button tone="ghost" size="small" onClick={clear} className="justify-self-start">
            <X aria-hidden className="size-3.5" />
            {t('clear')}
          </Button>
        )}
      </div>
      {error !== undefined && (
        <p id="period-error" role="alert" className="text-bad text-sm">
          {error}
        </p>
      )}
    </div>
  )
}
