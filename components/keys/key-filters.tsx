'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { useEffect, useRef, useState } from 'react'
import { groupList, keyState } from '#lib/contracts/keys'
import { cn } from '../cn.ts'
import { hideSecret } from '../hide-secret.ts'
import { Button } from '../ui/button.tsx'
import { filterBar } from '../ui/filter-bar.ts'
import { NativeSelect } from '../ui/native-select.tsx'
import { SearchInput } from '../ui/search-input.tsx'
import { useApi } from '../use-api.ts'
import { writeAddress } from '../write-address.ts'
import { isNarrowed, type KeyFilters, MAX_SEARCHED } from './address.ts'

/** The field that the `/` key focuses. */
export const KEY_SEARCH = 'key-search'

const WAIT_MS = 200

/** The text in the field. It is written to the address after a short pause in typing. */
function useSearch(q: string): [string, (text: string) => void] {
  const [text, setText] = useState(q)
  // The text that this field wrote last. If the address differs, it was changed elsewhere or with the Back button.
  const written = useRef(q)
  useEffect(() => {
    if (q !== written.current) setText(q)
    written.current = q
  }, [q])
  useEffect(() => {
    const asked = hideSecret(text)
    if (asked === written.current) return
    const timer = setTimeout(() => {
      written.current = asked
      writeAddress({ q: asked })
    }, WAIT_MS)
    return () => clearTimeout(timer)
  }, [text])
  return [text, setText]
}

/** The filters of the list of keys. They are kept in the address, so that a reader who returns finds them again. */
export function KeyFilterBar({ filters, onClear }: { filters: KeyFilters; onClear: () => void }) {
  const t = useTranslations('keys')
  const [text, setText] = useSearch(filters.q)
  const groups = useApi('/api/groups', groupList, { revalidateOnFocus: false }).data?.rows ?? []
  const any = { value: '', label: t('any') }
  const options = groups.map(({ id, name }) => ({ value: id, label: name }))
  // A group that existing keys are bound to, but that new keys cannot use.
  const isLost = filters.group !== null && groups.length > 0 && !groups.some(({ id }) => id === filters.group)
  return (
    <search aria-label={t('filters')} className={cn('mb-3', filterBar)}>
      <SearchInput id={KEY_SEARCH} label={t('search')} value={text} onChange={setText} maxLength={MAX_SEARCHED} />
      <NativeSelect
        label={t('state')}
        value={filters.state ?? ''}
        onChange={(state) => writeAddress({ state })}
        options={[any, ...keyState.options.map((value) => ({ value, label: t(`states.${value}`) }))]}
      />
      {(groups.length > 1 || filters.group !== null) && (
        <NativeSelect
          label={t('group')}
          value={filters.group ?? ''}
          onChange={(group) => writeAddress({ group })}
          options={[any, ...options, ...(isLost ? [{ value: filters.group ?? '', label: t('otherGroup') }] : [])]}
        />
      )}
      {isNarrowed(filters) && (
        <Button tone="ghost" onClick={onClear} className="justify-self-start">
          <X aria-hidden className="size-3.5" />
          {t('clear')}
        </Button>
      )}
    </search>
  )
}
