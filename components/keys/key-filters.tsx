'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import { groupList, keyState } from '#lib/contracts/keys'
import { cn } from '../cn.ts'
import { maskApiKey } from '../mask-api-key.ts'
import { Button } from '../ui/button.tsx'
import { filterBarStyles } from '../ui/filter-bar-styles.ts'
import { NativeSelect } from '../ui/native-select.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useApi } from '../use-api.ts'
import { isFiltered, type KeyFilters, MAX_SEARCHED } from './key-filter-params.ts'

/** The field that the `/` key focuses. */
export const KEY_SEARCH = 'key-search'

const SEARCH_DELAY_MS = 200

/** The text in the field. It is written to the address after a short pause in typing. */
function useSearchText(q: string): [string, (text: string) => void] {
  const [text, setText] = useState(q)
  // The text that this field wrote last. If the address differs, it was changed elsewhere or with the Back button.
  const lastWritten = useRef(q)
  useEffect(() => {
    if (q !== lastWritten.current) setText(q)
    lastWritten.current = q
  }, [q])
  useEffect(() => {
    const sentText = maskApiKey(text)
    if (sentText === lastWritten.current) return
    const timer = setTimeout(() => {
      lastWritten.current = sentText
      updateSearchParams({ q: sentText })
    }, SEARCH_DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])
  return [text, setText]
}

/** The filters of the list of keys. They are kept in the address, so that a reader who returns finds them again. */
export function KeyFilterBar({ filters, onClear }: { filters: KeyFilters; onClear: () => void }) {
  const t = useTranslations('keys')
  const [text, setText] = useSearchText(filters.q)
  const groups = useApi('/api/groups', groupList, { revalidateOnFocus: false }).data?.rows ?? []
  const any = { value: '', label: t('any') }
  const options = groups.map(({ id, name }) => ({ value: id, label: name }))
  // A group that existing keys are bound to, but that new keys cannot use.
  const isUnavailable = filters.group !== null && groups.length > 0 && !groups.some(({ id }) => id === filters.group)
  return (
    <search aria-label={t('filters')} className={cn('mb-3', filterBarStyles)}>
      <SearchInput id={KEY_SEARCH} label={t('search')} value={text} onChange={setText} maxLength={MAX_SEARCHED} />
      <NativeSelect
        label={t('state')}
        value={filters.state ?? ''}
        onChange={(state) => updateSearchParams({ state })}
        options={[any, ...keyState.options.map((value) => ({ value, label: t(`states.${value}`) }))]}
      />
      {(groups.length > 1 || filters.group !== null) && (
        <NativeSelect
          label={t('group')}
          value={filters.group ?? ''}
          onChange={(group) => updateSearchParams({ group })}
          options={[any, ...options, ...(isUnavailable ? [{ value: filters.group ?? '', label: t('otherGroup') }] : [])]}
        />
      )}
      {isFiltered(filters) && (
        <Button tone="ghost" onClick={onClear} className="justify-self-start">
          <X aria-hidden className="size-3.5" />
          {t('clear')}
        </Button>
      )}
    </search>
  )
}
