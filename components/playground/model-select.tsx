'use client'
import { useTranslations } from 'next-intl'
import { NativeSelect } from '../ui/native-select.tsx'
import { updateSearchParams } from '../update-search-params.ts'
import type { ModelSelection } from './select-model.ts'

/** Selects the group and the model to call, and in a chat a second model to compare. Kept in the page's address. */
export function ModelSelect({ choice, compares = false }: { choice: ModelSelection; compares?: boolean }) {
  const t = useTranslations('playground')
  const { groups, group, models, model, other } = choice
  const options = models.map(({ id }) => ({ value: id, label: id }))
  return (
    <div className="flex flex-col gap-2">
      <NativeSelect
        label={t('model')}
        value={model.id}
        onChange={(id) => updateSearchParams({ model: id })}
        options={options}
        className="w-full [&_select]:w-full"
      />
      {compares && (
        <NativeSelect
          label={t('compare')}
          value={other?.id ?? ''}
          onChange={(id) => updateSearchParams({ compare: id })}
          options={[{ value: '', label: t('noCompare') }, ...options]}
          className="w-full [&_select]:w-full"
        />
      )}
      {groups.length > 1 && (
        <NativeSelect
          label={t('group')}
          value={group.name}
          onChange={(name) => updateSearchParams({ group: name, model: null, compare: null })}
          options={groups.map(({ name }) => ({ value: name, label: name }))}
          className="w-full [&_select]:w-full"
        />
      )}
    </div>
  )
}
