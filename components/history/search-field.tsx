'use client'
import { Search } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { type FormEvent, useEffect, useState } from 'react'
import { cn } from '../cn.ts'
import { Input } from '../ui/input.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { Select } from '../ui/select.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { type Filters, filterParamChanges } from './filter-params.ts'

const SEARCH_ID = 'history-search'

/** The action of the `/` key. */
export const focusSearch = () => document.getElementById(SEARCH_ID)?.focus()

/** Shows all requests again. The pressed button is gone then, so the focus moves to the search. */
export function clearFilters(): void {
  updateSearchParams(filterParamChanges({}))
  focusSearch()
}

/** Searches records or messages. The search starts when Enter is pressed or the field is left, not with every letter. */
export function SearchField({ filters }: { filters: Filters }) {
  const t = useTranslations('requests.search')
  const [text, setText] = useState(filters.q ?? '')
  // The address can also change elsewhere: through a view or the Back button.
  useEffect(() => setText(filters.q ?? ''), [filters.q])
  const inMessages = filters.in === 'messages'
  const search = (event?: FormEvent) => {
    event?.preventDefault()
    const q = text.trim()
    if (q !== (filters.q ?? '')) updateSearchParams({ q: q || null, in: q && inMessages ? 'messages' : null, id: null })
  }
  return (
    // It gives up its own width before the filters beside it need another line.
    <search
      className={cn(
        'w-full min-w-0 sm:w-auto sm:flex-1',
        filters.q === undefined ? 'sm:min-w-28 sm:max-w-60' : 'sm:min-w-68 sm:max-w-100',
      )}
    >
      <form method="get" onSubmit={search} className="flex items-center gap-2">
        <span className="relative min-w-0 flex-1">
          <Search aria-hidden className="pointer-events-none absolute top-1/2 left-2.5 size-3.5 -translate-y-1/2 text-second" />
          <Input
            id={SEARCH_ID}
            type="search"
            enterKeyHint="search"
            aria-label={inMessages ? t('inMessages') : t('inRecords')}
            placeholder={inMessages ? t('inMessages') : t('inRecords')}
            maxLength={200}
            value={text}
            onChange={(event) => setText(event.target.value)}
            onBlur={() => search()}
            className="h-7 pr-7 pl-8 text-sm [&::-webkit-search-cancel-button]:hidden placeholder:text-second"
          />
          <span aria-hidden className="pointer-events-none absolute top-1/2 right-1.5 -translate-y-1/2 max-sm:hidden">
            {text === '' && <Kbd>/</Kbd>}
          </span>
        </span>
        {filters.q !== undefined && (
          <Select
            label={t('where')}
            prefix={t('where')}
            value={filters.in ?? 'records'}
            onChange={(where) => updateSearchParams({ in: where === 'messages' ? 'messages' : null, id: null })}
            options={(['records', 'messages'] as const).map((value) => ({ value, label: t(`places.${value}`) }))}
          />
        )}
      </form>
    </search>
  )
}
