'use client'
import { SearchX } from 'lucide-react'
import { useSearchParams } from 'next/navigation'
import { useTranslations } from 'next-intl'
import { type ModelList, modelList } from '#lib/contracts/catalog'
import { Button } from '../ui/button.tsx'
import { Card } from '../ui/card.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import { useApi } from '../use-api.ts'
import { useFormat } from '../use-format.ts'
import { CompareCard } from './compare-card.tsx'
import { clearFilters, ModelFilters } from './model-filters.tsx'
import { ModelsTable } from './models-table.tsx'
import { MAX_COMPARED, readQuery, selectModels } from './query.ts'

/** The model catalog. `initial` is the data that the server rendered. A reader who returns later sees current data. */
export function ModelsPage({ initial }: { initial: ModelList }) {
  const t = useTranslations('models')
  const format = useFormat()
  const list = useApi('/api/models', modelList, { fallbackData: initial, revalidateOnMount: false }).data ?? initial
  const query = readQuery(useSearchParams(), list.rows, list.groups)
  const rows = selectModels(list.rows, query)
  const compared = query.compare.flatMap((id) => list.rows.filter((row) => row.id === id))
  const compare = (ids: string[]) => updateSearchParams({ compare: ids.join(',') })
  const all = query.group === null ? 0 : list.rows.filter((row) => query.group?.models.includes(row.id)).length
  return (
    <div className="flex flex-col gap-5">
      <div>
        <h1 className="font-[580] text-3xl tracking-[-0.02em]">{t('title')}</h1>
        <p className="mt-1 max-w-2xl text-second">{t('lead')}</p>
      </div>
      {compared.length > 0 && (
        <CompareCard
          models={compared}
          query={query}
          onRemove={(removed) => compare(query.compare.filter((id) => id !== removed))}
          onClear={() => compare([])}
        />
      )}
      <ModelFilters list={list} query={query} />
      <Card>
        <div className="flex flex-wrap items-baseline justify-between gap-x-4">
          <p aria-live="polite" className="text-second">
            {t('shown', { shown: format.count(rows.length), all: format.count(all) })}
          </p>
          <p className="text-second text-sm">{t('compareHint', { most: MAX_COMPARED })}</p>
        </div>
        {rows.length > 0 ? (
          <ModelsTable
            rows={rows}
            query={query}
            onCompare={(id, chosen) => compare(chosen ? [...query.compare, id] : query.compare.filter((each) => each !== id))}
          />
        ) : (
          <EmptyState icon={<SearchX />} title={t('noneTitle')} text={t('noneText')}>
            <Button onClick={clearFilters}>{t('clear')}</Button>
          </EmptyState>
        )}
      </Card>
    </div>
  )
}
