'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import type { ModelList } from '#lib/contracts/catalog'
import { formatFactor } from '#lib/domain/format-money'
import { Button } from '../ui/button.tsx'
import { filterBarStyles } from '../ui/filter-bar-styles.ts'
import { NativeSelect } from '../ui/native-select.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useFormat } from '../use-format.ts'
import { CONTEXTS, PRICES, type Query, SORTS } from './query.ts'
import { useModelLabels } from './use-model-labels.ts'

const SEARCH_ID = 'model-search'

/** Shows all models again. The clicked button is gone then, so the focus moves to the search. */
export function clearFilters(): void {
  updateSearchParams({ q: null, modality: null, vendor: null, price: null, context: null })
  document.getElementById(SEARCH_ID)?.focus()
}

const unique = (values: string[]): string[] => [...new Set(values)].sort()

interface FilterSelectProps {
  /** Its name in the address. */
  name: 'modality' | 'vendor' | 'price' | 'context'
  value: string | null
  options: { value: string; label: string }[]
}

function FilterSelect({ name, value, options }: FilterSelectProps) {
  const t = useTranslations('models')
  return (
    <NativeSelect
      label={t(name)}
      value={value ?? ''}
      onChange={(next) => updateSearchParams({ [name]: next })}
      options={[{ value: '', label: t('any') }, ...options]}
      // A vendor's name may be as long as an operator likes, and a select is as wide as its widest option.
      className="sm:max-w-60"
    />
  )
}

/** The search text, written to the address with every letter. */
function ModelSearch({ asked }: { asked: string }) {
  const t = useTranslations('models')
  const [text, setText] = useState(asked)
  // It was cleared elsewhere or with the Back button.
  useEffect(() => {
    if (asked === '') setText('')
  }, [asked])
  const search = (next: string) => {
    setText(next)
    updateSearchParams({ q: next })
  }
  return <SearchInput id={SEARCH_ID} label={t('search')} value={text} onChange={search} className="sm:w-60" />
}

function GroupSelect({ list, query }: { list: ModelList; query: Query }) {
  const t = useTranslations('models')
  if (list.groups.length < 2 || query.group === null) return null
  return (
    <NativeSelect
      label={t('group')}
      value={query.group.name}
      onChange={(group) => updateSearchParams({ group })}
      options={list.groups.map(({ name, multiplierBp }) => ({ value: name, label: `${name} × ${formatFactor(multiplierBp)}` }))}
    />
  )
}

/** The filters and the order of the catalog. All of them are kept in the address. */
export function ModelFilters({ list, query }: { list: ModelList; query: Query }) {
  const t = useTranslations('models')
  const format = useFormat()
  const labels = useModelLabels()
  const { text, modality, vendor, price, context, sort } = query
  const filtered = text !== '' || [modality, vendor, price, context].some((value) => value !== null)
  const modalities = unique(list.rows.map((row) => row.modality)).map((value) => ({ value, label: labels.modality(value) }))
  const vendors = unique(list.rows.map((row) => row.ownedBy)).map((value) => ({ value, label: value }))
  const prices = PRICES.map((value) => ({ value, label: t('atMost', { price: `$${value}` }) }))
  const contexts = CONTEXTS.map((value) => ({ value: String(value), label: t('atLeast', { count: format.compact(value) }) }))
  return (
    <search aria-label={t('filters')} className={filterBarStyles}>
      <ModelSearch asked={text} />
      <FilterSelect name="modality" value={modality} options={modalities} />
      <FilterSelect name="vendor" value={vendor} options={vendors} />
      <FilterSelect name="price" value={price} options={prices} />
      <FilterSelect name="context" value={context === null ? null : String(context)} options={contexts} />
      <NativeSelect
        label={t('sort')}
        value={sort}
        onChange={(value) => updateSearchParams({ sort: value === 'name' ? null : value })}
        options={SORTS.map((value) => ({ value, label: t(`sorts.${value}`) }))}
      />
      <GroupSelect list={list} query={query} />
      {filtered && (
        <Button tone="ghost" onClick={clearFilters} className="justify-self-start">
          <X aria-hidden className="size-3.5" />
          {t('clear')}
        </Button>
      )}
    </search>
  )
}
