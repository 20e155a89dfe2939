'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { changeResult } from '#lib/contracts/operator'
import { type OperatorGroup, operatorGroup } from '#lib/contracts/operator-groups'
import { sendJson } from '../../fetch-json.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useApi } from '../../use-api.ts'
import { ArchiveButton } from '../archive-button.tsx'
import { CardForm } from '../card-form.tsx'
import { DetailPage } from '../detail-page.tsx'
import { steepFactorChange } from '../models/steep-change.ts'
import { groupApi } from '../paths.ts'
import { InactiveTag } from '../state-tags.tsx'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import { useRowForm } from '../use-row-form.ts'
import { GroupAccounts } from './group-accounts.tsx'
import { GroupFields } from './group-fields.tsx'
import { groupFormOf, readGroupForm } from './group-form.ts'
import { GroupModels } from './group-models.tsx'
import { SteepFactor } from './steep-factor.tsx'

function SettingsCard({ group, onSaved }: { group: OperatorGroup; onSaved: () => Promise<unknown> }) {
  const t = useTranslations('operator')
  const { form, version, change, reset } = useRowForm(group, groupFormOf)
  const [more, setMore] = useState<{ isDefault?: true }>({})
  const [steep, setSteep] = useState<ReturnType<typeof steepFactorChange>>(null)
  const { busy, errors, general, send, refuse } = useOperatorSubmit()
  const save = (extra: typeof more, isConfirmed: boolean) => {
    const { values, faults } = readGroupForm(form)
    if (faults) return refuse(Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, t(`faults.${fault}`)])))
    const toConfirm = isConfirmed ? null : steepFactorChange(group.multiplierBp, values.multiplierBp)
    setMore(extra)
    setSteep(toConfirm)
    if (toConfirm) return
    return send(async () => {
      await sendJson('PATCH', groupApi(group.id), changeResult, { ...values, ...extra, version })
      toast.success(t('saved'))
      await onSaved()
      reset()
    })
  }
  const makeDefault = !group.isDefault && group.archivedAt === null && (
    <Button disabled={busy} onClick={() => void save({ isDefault: true }, false)}>
      {t('makeDefault')}
    </Button>
  )
  const formProps = { title: t('settings'), busy, general, label: t('save'), more: makeDefault }
  return (
    <CardForm {...formProps} onSubmit={() => void save({}, false)}>
      <GroupFields form={form} onChange={change} errors={errors} />
      <SteepFactor change={steep} action={t('save')} onClose={() => setSteep(null)} onConfirm={() => void save(more, true)} />
    </CardForm>
  )
}

/** The page of a group: its models, its accounts, its factor and limits. */
export function GroupPage({ id }: { id: string }) {
  const t = useTranslations('operator')
  const { data, error, mutate } = useApi(groupApi(id), operatorGroup)
  const reload = () => mutate()
  return (
    <DetailPage
      title={data?.name ?? t('group')}
      back={{ path: '/operator/groups', name: t('groups') }}
      aside={data && (data.isDefault ? <Tag tone="good">{t('default')}</Tag> : <InactiveTag archivedAt={data.archivedAt} />)}
      actions={
        data &&
        !data.isDefault && (
          <ArchiveButton
            what="group"
            name={data.name}
            path={groupApi(id)}
            version={data.version}
            archived={data.archivedAt !== null}
            onDone={reload}
          />
        )
      }
      loaded={data !== undefined}
      error={error}
      onRetry={reload}
    >
      {data && (
        <>
          <GroupModels key={`models ${id}`} group={data} onSaved={reload} />
          {!data.open && <GroupAccounts group={data} onSaved={reload} />}
          <SettingsCard key={`settings ${id}`} group={data} onSaved={reload} />
        </>
      )}
    </DetailPage>
  )
}
