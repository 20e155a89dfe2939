'use client'
import { ListFilter, X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { lazy, Suspense, useEffect, useState } from 'react'
import { groupList, keyList } from '#lib/contracts/keys'
import { notLoaded } from '../not-loaded.tsx'
import { Button } from '../ui/button.tsx'
import { Kbd } from '../ui/kbd.tsx'
import { Select, type SelectOption } from '../ui/select.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useApi } from '../use-api.ts'
import { useFormat } from '../use-format.ts'
import { endpointPath } from './endpoint-path.ts'
import { type Filters, modelsOf } from './filter-params.ts'
import { clearFilters, focusSearch, SearchField } from './search-field.tsx'

// Loaded when it is first opened.
const FilterDialog = lazy(async () => ({
  default: await import('./filter-dialog.tsx').then((module) => module.FilterDialog).catch(notLoaded),
}))

// An empty value of a select means that nothing is chosen, so "any" needs a value that no id can have.
const ANY = '*'
const CUSTOM = '**'
const RANGES = ['1h', '24h', '7d', '30d'] as const

interface FilterProps {
  name: 'model' | 'key' | 'status' | 'range'
  label: string
  value: string | undefined
  any: string
  options: SelectOption[]
  /** Other parameters that are removed from the address together with this filter. */
  alsoCleared?: Record<string, null>
}

function Filter({ name, label, value, any, options, alsoCleared = {} }: FilterProps) {
  const known = value === undefined || options.some((option) => option.value === value)
  const shown = known ? options : [...options, { value: value ?? '', label: value }]
  return (
    <Select
      label={label}
      prefix={label}
      value={value ?? ANY}
      onChange={(next) => next !== CUSTOM && updateSearchParams({ ...alsoCleared, [name]: next === ANY ? null : next, id: null })}
      options={[{ value: ANY, label: any }, ...shown]}
      className="max-w-60"
    />
  )
}

function TimeFilter({ filters }: { filters: Filters }) {
  const t = useTranslations('requests')
  const format = useFormat()
  const { from, to, range } = filters
  const hasTimes = from !== undefined || to !== undefined
  const span = t('span', { from: from ? format.moment(from) : '…', to: to ? format.moment(to) : '…' })
  return (
    <Filter
      name="range"
      label={t('time')}
      value={hasTimes ? CUSTOM : range}
      any={t('anyTime')}
      alsoCleared={{ from: null, to: null }}
      options={[
        ...RANGES.map((value) => ({ value, label: t(`ranges.${value}`) })),
        ...(hasTimes ? [{ value: CUSTOM, label: span }] : []),
      ]}
    />
  )
}

/** An active filter that has no control of its own in the bar, with a button that removes it. */
function Chip({ name, children }: { name: string; children: string }) {
  const t = useTranslations('requests')
  return (
    <span className="inline-flex h-7 max-w-full items-center rounded-md border bg-tint pl-2.5 text-sm">
      <span className="truncate">{children}</span>
      <Button
        tone="ghost"
        size="tiny"
        aria-label={t('removeFilter', { name: children })}
        onClick={() => {
          updateSearchParams({ [name]: null, id: null })
          focusSearch()
        }}
      >
        <X aria-hidden className="size-3.5" />
      </Button>
    </span>
  )
}

function Chips({ filters }: { filters: Filters }) {
  const t = useTranslations('requests')
  const { endpoint, stream, code, cost, took } = filters
  return (
    <>
      {endpoint !== undefined && <Chip name="endpoint">{t('chips.endpoint', { path: endpointPath(endpoint) })}</Chip>}
      {stream !== undefined && <Chip name="stream">{t(`chips.${stream === 'yes' ? 'streamed' : 'whole'}`)}</Chip>}
      {code !== undefined && <Chip name="code">{t('chips.code', { code })}</Chip>}
      {cost !== undefined && <Chip name="cost">{t('chips.cost', { amount: `$${cost}` })}</Chip>}
      {took !== undefined && <Chip name="took">{t('chips.took', { time: `${Number(took) / 1000} s` })}</Chip>}
    </>
  )
}

/** The filters of the list. They are kept in the address, so that they can be shared as a link. */
export function FilterBar({ filters }: { filters: Filters }) {
  const t = useTranslations('history')
  const tRequests = useTranslations('requests')
  const [open, setOpen] = useState(false)
  const groups = useApi('/api/groups', groupList, { revalidateOnFocus: false }).data?.rows ?? []
  const keys = useApi('/api/keys', keyList, { revalidateOnFocus: false }).data?.rows ?? []
  const models = [...new Set(groups.flatMap((group) => group.models))].sort()
  const chosen = modelsOf(filters)
  useEffect(() => {
    const openDialog = () => setOpen(true)
    window.addEventListener(OPEN_FILTERS_EVENT, openDialog)
    return () => window.removeEventListener(OPEN_FILTERS_EVENT, openDialog)
  }, [])
  return (
    // A second line would move the page when a request is opened beside the list.
    <div className="@container flex flex-wrap items-center gap-2">
      <SearchField filters={filters} />
      <TimeFilter filters={filters} />
      <Filter
        name="model"
        label={t('model')}
        any={t('any')}
        value={chosen.length > 1 ? CUSTOM : chosen[0]}
        options={[
          ...models.map((model) => ({ value: model, label: model })),
          ...(chosen.length > 1 ? [{ value: CUSTOM, label: tRequests('models', { count: chosen.length }) }] : []),
        ]}
      />
      <Filter
        name="key"
        label={t('key')}
        any={t('any')}
        value={filters.key}
        options={keys.map((key) => ({ value: key.id, label: key.name }))}
      />
      <Filter
        name="status"
        label={t('status')}
        any={t('any')}
        value={filters.status}
        options={(['ok', 'error'] as const).map((value) => ({ value, label: t(`statuses.${value}`) }))}
      />
      <Chips filters={filters} />
      <Button size="small" onClick={() => setOpen(true)}>
        <ListFilter aria-hidden className="size-3.5" />
        <span className="sm:@max-[41rem]:sr-only">{tRequests('more')}</span>
        <span aria-hidden className="max-sm:hidden @max-[41rem]:hidden">
          <Kbd>F</Kbd>
        </span>
      </Button>
      {Object.keys(filters).length > 0 && (
        <Button tone="ghost" size="small" onClick={clearFilters}>
          <X aria-hidden className="size-3.5" />
          {t('clear')}
        </Button>
      )}
      {open && (
        <Suspense>
          <FilterDialog filters={filters} models={models} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  )
}

/** A window event that opens the filter dialog, sent by its keyboard shortcut. */
export const OPEN_FILTERS_EVENT = 'tollgate-open-filters'
