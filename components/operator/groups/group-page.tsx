'use client'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { changed } from '#lib/contracts/operator'
import { type OperatorGroup, operatorGroup } from '#lib/contracts/operator-groups'
import { sendJson } from '../../fetch-json.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHead } from '../../ui/card.tsx'
import { Tag } from '../../ui/tag.tsx'
import { useApi } from '../../use-api.ts'
import { ArchiveButton } from '../archive-button.tsx'
import { DetailPage } from '../detail-page.tsx'
import { Fault } from '../fault.tsx'
import { FormFields } from '../form-fields.tsx'
import { steepFactor } from '../models/steep.ts'
import { groupApi } from '../paths.ts'
import { Out } from '../states.tsx'
import { useMayChange } from '../use-may-change.ts'
import { useOverRow } from '../use-over-row.ts'
import { useSubmit } from '../use-submit.ts'
import { GroupAccounts } from './group-accounts.tsx'
import { GroupFields } from './group-fields.tsx'
import { groupForm, readGroupForm } from './group-form.ts'
import { GroupModels } from './group-models.tsx'
import { SteepFactor } from './steep-factor.tsx'

function SettingsCard({ group, onSaved }: { group: OperatorGroup; onSaved: () => Promise<unknown> }) {
  const t = useTranslations('operator')
  const mayChange = useMayChange()
  const { form, version, change, reset } = useOverRow(group, groupForm)
  const [more, setMore] = useState<{ isDefault?: true }>({})
  const [steep, setSteep] = useState<ReturnType<typeof steepFactor>>(null)
  const { busy, errors, general, send, refuse } = useSubmit()
  const save = (also: typeof more, sure: boolean) => {
    const { values, faults } = readGroupForm(form)
    if (faults) return refuse(Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, t(`faults.${fault}`)])))
    const asked = sure ? null : steepFactor(group.multiplierBp, values.multiplierBp)
    setMore(also)
    setSteep(asked)
    if (asked) return
    return send(async () => {
      await sendJson('PATCH', groupApi(group.id), changed, { ...values, ...also, version })
      toast.success(t('saved'))
      await onSaved()
      reset()
    })
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save({}, false)
  }
  return (
    <Card>
      <CardHead title={t('settings')} />
      <form noValidate method="post" onSubmit={submit} className="mt-4">
        <FormFields mayChange={mayChange} busy={busy} className="flex max-w-xl flex-col gap-5">
          <GroupFields form={form} onChange={change} errors={errors} />
          <Fault fault={general} />
          {mayChange && (
            <div className="flex flex-wrap gap-2">
              <Button type="submit" tone="primary" disabled={busy}>
                {t('save')}
              </Button>
              {!group.isDefault && group.archivedAt === null && (
                <Button disabled={busy} onClick={() => void save({ isDefault: true }, false)}>
                  {t('makeDefault')}
                </Button>
              )}
            </div>
          )}
        </FormFields>
        <SteepFactor change={steep} action={t('save')} onClose={() => setSteep(null)} onConfirm={() => void save(more, true)} />
      </form>
    </Card>
  )
}

/** One group: its models, who may choose it, its factor and limits. */
export function GroupPage({ id }: { id: string }) {
  const t = useTranslations('operator')
  const { data, error, mutate } = useApi(groupApi(id), operatorGroup)
  const again = () => mutate()
  return (
    <DetailPage
      title={data?.name ?? t('group')}
      back={{ path: '/operator/groups', name: t('groups') }}
      aside={data && (data.isDefault ? <Tag tone="good">{t('default')}</Tag> : <Out archivedAt={data.archivedAt} />)}
      actions={
        data &&
        !data.isDefault && (
          <ArchiveButton
            what="group"
            name={data.name}
            path={groupApi(id)}
            version={data.version}
            archived={data.archivedAt !== null}
            onDone={again}
          />
        )
      }
      loaded={data !== undefined}
      error={error}
      onRetry={again}
    >
      {data && (
        <>
          <GroupModels key={`models ${id}`} group={data} onSaved={again} />
          {!data.open && <GroupAccounts group={data} onSaved={again} />}
          <SettingsCard key={`settings ${id}`} group={data} onSaved={again} />
        </>
      )}
    </DetailPage>
  )
}
