'use client'
import { X } from 'lucide-react'
import { useTranslations } from 'next-intl'
import { groupList, keyList } from '#lib/contracts/keys'
import { Button } from '../ui/button.tsx'
import { Select, type SelectOption } from '../ui/select.tsx'
import { useApi } from '../use-api.ts'
import { writeAddress } from '../write-address.ts'
import type { Filters } from './use-requests.ts'

// A select's empty value means that nothing is chosen, so "any" needs a name that no id can have.
const ANY = '*'

interface FilterProps {
  name: keyof Filters
  label: string
  value: string | null
  options: SelectOption[]
}

function Filter({ name, label, value, options }: FilterProps) {
  const t = useTranslations('history')
  const known = value === null || options.some((option) => option.value === value)
  const shown = known ? options : [...options, { value: value ?? '', label: value }]
  return (
    <Select
      label={label}
      prefix={label}
      value={value ?? ANY}
      onChange={(next) => writeAddress({ [name]: next === ANY ? null : next, id: null })}
      options={[{ value: ANY, label: t('any') }, ...shown]}
      className="max-w-60"
    />
  )
}

/** What the list is narrowed to. The choice lives in the address, so it can be sent to somebody. */
export function FilterBar({ filters }: { filters: Filters }) {
  const t = useTranslations('history')
  const groups = useApi('/api/groups', groupList, { revalidateOnFocus: false }).data?.rows ?? []
  const keys = useApi('/api/keys', keyList, { revalidateOnFocus: false }).data?.rows ?? []
  const models = [...new Set(groups.flatMap((group) => group.models))].sort()
  const filtered = Object.values(filters).some((value) => value !== null)
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Filter
        name="model"
        label={t('model')}
        value={filters.model}
        options={models.map((model) => ({ value: model, label: model }))}
      />
      <Filter name="key" label={t('key')} value={filters.key} options={keys.map((key) => ({ value: key.id, label: key.name }))} />
      <Filter
        name="status"
        label={t('status')}
        value={filters.status}
        options={(['ok', 'error'] as const).map((value) => ({ value, label: t(`statuses.${value}`) }))}
      />
      {filtered && (
        <Button tone="ghost" size="small" onClick={() => writeAddress({ model: null, key: null, status: null, id: null })}>
          <X aria-hidden className="size-3.5" />
          {t('clear')}
        </Button>
      )}
    </div>
  )
}
