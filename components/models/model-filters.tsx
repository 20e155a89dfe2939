'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useState } from 'react'
import type { ModelList } from '#lib/contracts/catalog'
import { formatFactor } from '#lib/domain/format-money'
import { Button } from '../ui/button.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { useFormat } from '../use-format.ts'
import { writeAddress } from '../write-address.ts'
import { CONTEXTS, PRICES, type Query, SORTS } from './query.ts'
import { useWords } from './use-words.ts'

const SEARCH_ID = 'model-search'

/** All models again. What was pressed is gone then: the focus goes on to the search. */
export function clearFilters(): void {
  writeAddress({ q: null, modality: null, vendor: null, price: null, context: null })
  document.getElementById(SEARCH_ID)?.focus()
}

const unique = (values: string[]): string[] => [...new Set(values)].sort()

/** What the catalog is narrowed to and how it is ordered. All of it lives in the address. */
export function ModelFilters({ list, query }: { list: ModelList; query: Query }) {
  const t = useTranslations('models')
  const format = useFormat()
  const words = useWords()
  const [text, setText] = useState(query.text)
  // Cleared from elsewhere, or by going back.
  useEffect(() => {
    if (query.text === '') setText('')
  }, [query.text])
  const any = { value: '', label: t('any') }
  const filtered = query.text !== '' || [query.modality, query.vendor, query.price, query.context].some((value) => value !== null)
  const set = (name: string) => (value: string) => writeAddress({ [name]: value })
  return (
    <search aria-label={t('filters')} className="flex flex-wrap items-center gap-2">
      <SearchInput
        id={SEARCH_ID}
        label={t('search')}
        value={text}
        onChange={(next) => {
          setText(next)
          writeAddress({ q: next })
        }}
        className="sm:w-60"
      />
      <NativeSelect
        label={t('modality')}
        value={query.modality ?? ''}
        onChange={set('modality')}
        options={[any, ...unique(list.rows.map((row) => row.modality)).map((value) => ({ value, label: words.modality(value) }))]}
      />
      <NativeSelect
        label={t('vendor')}
        value={query.vendor ?? ''}
        onChange={set('vendor')}
        options={[any, ...unique(list.rows.map((row) => row.ownedBy)).map((value) => ({ value, label: value }))]}
      />
      <NativeSelect
        label={t('price')}
        value={query.price ?? ''}
        onChange={set('price')}
        options={[any, ...PRICES.map((value) => ({ value, label: t('atMost', { price: `$${value}` }) }))]}
      />
      <NativeSelect
        label={t('context')}
        value={query.context === null ? '' : String(query.context)}
        onChange={set('context')}
        options={[
          any,
          ...CONTEXTS.map((value) => ({ value: String(value), label: t('atLeast', { count: format.compact(value) }) })),
        ]}
      />
      <NativeSelect
        label={t('sort')}
        value={query.sort}
        onChange={(value) => writeAddress({ sort: value === 'name' ? null : value })}
        options={SORTS.map((value) => ({ value, label: t(`sorts.${value}`) }))}
      />
      {list.groups.length > 1 && query.group !== null && (
        <NativeSelect
          label={t('group')}
          value={query.group.name}
          onChange={set('group')}
          options={list.groups.map(({ name, multiplierBp }) => ({
            value: name,
            label: `${name} × ${formatFactor(multiplierBp)}`,
          }))}
        />
      )}
      {filtered && (
        <Button tone="ghost" onClick={clearFilters}>
          <X aria-hidden className="size-3.5" />
          {t('clear')}
        </Button>
      )}
    </search>
  )
}
