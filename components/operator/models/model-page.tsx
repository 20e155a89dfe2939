'use client'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { changeResult, type OperatorModel, operatorModel } from '#lib/contracts/operator'
import { sendJson } from '../../fetch-json.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { useApi } from '../../use-api.ts'
import { ArchiveButton } from '../archive-button.tsx'
import { CardForm } from '../card-form.tsx'
import { DeploymentsCard } from '../connections/deployments-card.tsx'
import { DetailPage } from '../detail-page.tsx'
import { groupPath } from '../paths.ts'
import { HealthTag, InactiveTag } from '../state-tags.tsx'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import { useRowForm } from '../use-row-form.ts'
import { ModelFields } from './model-fields.tsx'
import { modelFormOf, readModelForm } from './model-form.ts'
import { PricesCard } from './prices-card.tsx'

function FactsCard({ model, onSaved }: { model: OperatorModel; onSaved: () => Promise<unknown> }) {
  const t = useTranslations('operator')
  const { form, version, change, reset } = useRowForm(model, modelFormOf)
  const { busy, errors, general, send, refuse } = useOperatorSubmit()
  const save = () => {
    const { values, faults } = readModelForm(form)
    if (faults) return refuse(Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, t(`faults.${fault}`)])))
    return send(async () => {
      await sendJson('PATCH', '/api/operator/models', changeResult, { ...values, id: model.id, version })
      toast.success(t('saved'))
      await onSaved()
      reset()
    })
  }
  return (
    <CardForm title={t('facts')} busy={busy} general={general} label={t('save')} onSubmit={() => void save()}>
      <ModelFields form={form} onChange={change} errors={errors} />
    </CardForm>
  )
}

function GroupsCard({ groups }: { groups: OperatorModel['groupRows'] }) {
  const t = useTranslations('operator')
  return (
    <Card>
      <CardHeader title={t('groups')} />
      <p className="mt-1 text-second">{groups.length === 0 ? t('inNoGroup') : t('inGroups')}</p>
      <ul className="mt-2 flex flex-wrap gap-2">
        {groups.map(({ id, name }) => (
          <li key={id}>
            <Button size="small" asChild>
              <Link href={groupPath(id)}>{name}</Link>
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** The page of a model: its prices, deployments, groups and properties. */
export function OperatorModelPage({ id }: { id: string }) {
  const t = useTranslations('operator')
  const models = useTranslations('models')
  const { data, error, mutate } = useApi(`/api/operator/model?id=${encodeURIComponent(id)}`, operatorModel, {
    refreshInterval: 15_000,
  })
  const reload = () => mutate()
  return (
    <DetailPage
      title={id}
      back={{ path: '/operator/models', name: t('models') }}
      aside={data && (data.archivedAt === null && data.enabled ? <HealthTag {...data} /> : <InactiveTag {...data} />)}
      actions={
        data && (
          <ArchiveButton
            what="model"
            name={id}
            path="/api/operator/models"
            id={id}
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
          {/* The page header has room for only a part of a long id. */}
          <p className="-mt-1 flex min-w-0 items-center gap-1 text-second">
            <span className="mono wrap-anywhere min-w-0">{id}</span>
            <CopyButton text={id} label={models('modelId')} />
          </p>
          <PricesCard model={data} onChanged={reload} />
          <DeploymentsCard modelId={id} rows={data.deploymentRows} onChanged={reload} />
          <GroupsCard groups={data.groupRows} />
          <FactsCard key={id} model={data} onSaved={reload} />
        </>
      )}
    </DetailPage>
  )
}
