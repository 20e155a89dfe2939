'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { changeResult, operatorModelPage } from '#lib/contracts/operator'
import type { OperatorGroup } from '#lib/contracts/operator-groups'
import { sendJson } from '../../fetch-json.ts'
import { LoadMore } from '../../paged.tsx'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { SearchInput } from '../../ui/search-input.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { FormFields } from '../form-fields.tsx'
import { OperatorFormError } from '../operator-form-error.tsx'
import { groupApi } from '../paths.ts'
import { useList } from '../use-list.ts'
import { useMayChange } from '../use-may-change.ts'
import { useOperatorSubmit } from '../use-operator-submit.ts'

/**
 * The models of a group. Only newly checked and unchecked ones are sent, over the newest version, so this does not revert what
 * others changed in the meantime.
 */
export function GroupModels({ group, onSaved }: { group: OperatorGroup; onSaved: () => Promise<unknown> }) {
  const t = useTranslations('operator')
  const mayChange = useMayChange()
  const list = useList('/api/operator/models', operatorModelPage)
  const [pendingChanges, setPendingChanges] = useState<ReadonlyMap<string, boolean>>(new Map())
  const { busy, general, send } = useOperatorSubmit()
  const members = new Set(group.modelIds)
  const toggle = (id: string, on: boolean) => {
    const next = new Map(pendingChanges)
    if (members.has(id) === on) next.delete(id)
    else next.set(id, on)
    setPendingChanges(next)
  }
  const save = () =>
    send(async () => {
      const addModels = [...pendingChanges].filter(([, on]) => on).map(([id]) => id)
      const removeModels = [...pendingChanges].filter(([, on]) => !on).map(([id]) => id)
      await sendJson('PATCH', groupApi(group.id), changeResult, { version: group.version, addModels, removeModels })
      toast.success(t('saved'))
      await onSaved()
      setPendingChanges(new Map())
    })
  return (
    <Card>
      <CardHeader title={t('groupModels')}>
        <span className="text-second text-sm">{t('modelsInside', { count: group.modelIds.length })}</span>
      </CardHeader>
      <SearchInput label={t('search')} value={list.search} onChange={list.setSearch} className="mt-3" />
      <div className="mt-3 flex max-h-80 min-w-0 flex-col gap-2 overflow-y-auto rounded-md border p-3">
        <FormFields mayChange={mayChange} busy={busy} className="grid gap-x-6 gap-y-2 sm:grid-cols-2 xl:grid-cols-3">
          <legend className="sr-only">{t('groupModels')}</legend>
          {list.rows === undefined && <Skeleton className="col-span-full h-24 w-full" />}
          {list.rows?.map(({ id }) => (
            <Checkbox key={id} label={id} checked={pendingChanges.get(id) ?? members.has(id)} onChange={(on) => toggle(id, on)} />
          ))}
          {list.rows?.length === 0 && <p className="text-second">{t('noneTitle')}</p>}
        </FormFields>
        {/* Readers who may not change anything can load more, too. */}
        <LoadMore pages={list} size="small" />
      </div>
      <div className="mt-3 flex flex-col items-start gap-3">
        <OperatorFormError fault={general} />
        {mayChange && (
          <Button tone="primary" disabled={busy || pendingChanges.size === 0} onClick={() => void save()}>
            {t('saveCount', { count: pendingChanges.size })}
          </Button>
        )}
      </div>
    </Card>
  )
}
