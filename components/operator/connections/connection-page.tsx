'use client'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import { changeResult } from '#lib/contracts/operator'
import { type ConnectionRow, connectionDetail, type ProbeView, probeResult } from '#lib/contracts/operator-connections'
import { vendorKind } from '#lib/domain/vendor-kind-list'
import { sendJson } from '../../fetch-json.ts'
import { toast } from '../../toast.ts'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { useApi } from '../../use-api.ts'
import { ArchiveButton } from '../archive-button.tsx'
import { CardForm } from '../card-form.tsx'
import { DetailPage } from '../detail-page.tsx'
import { OperatorFormError } from '../operator-form-error.tsx'
import { connectionApi } from '../paths.ts'
import { HealthTag, InactiveTag } from '../state-tags.tsx'
import { useMayChange } from '../use-may-change.ts'
import { useOperatorSubmit } from '../use-operator-submit.ts'
import { useRowForm } from '../use-row-form.ts'
import { ConnectionFields } from './connection-fields.tsx'
import { type ConnectionForm, canListModels, filledCredentials, readConnectionForm } from './connection-form.ts'
import { ImportModels } from './import-models.tsx'
import { ProbeText } from './probe-text.tsx'

const formOf = (row: ConnectionRow): ConnectionForm => ({
  name: row.name,
  kind: row.kind,
  baseUrl: row.baseUrl ?? '',
  credentials: {},
  headers: row.headerNames.join('\n'),
  proxy: '',
  connectTimeoutS: String(row.connectTimeoutMs / 1000),
  headersTimeoutS: String(row.headersTimeoutMs / 1000),
  idleTimeoutS: String(row.idleTimeoutMs / 1000),
  concurrency: row.concurrency === null ? '' : String(row.concurrency),
})

/** The typed proxy: empty keeps the current one, `none` removes it. */
const proxyOf = (text: string): { proxy?: string | null } =>
  text.trim() === '' ? {} : { proxy: text.trim().toLowerCase() === 'none' ? null : text.trim() }

/**
 * The settings of a connection. The API never returns credentials and header values, so the form cannot see whether others
 * changed them. An edited form is therefore always saved over the version that it was opened with.
 */
function SettingsCard({ row, onSaved }: { row: ConnectionRow; onSaved: () => Promise<unknown> }) {
  const t = useTranslations('operator')
  const { form, opened, change, reset } = useRowForm(row, formOf)
  const { busy, errors, general, send, refuse } = useOperatorSubmit()
  const save = () => {
    const { values, faults } = readConnectionForm(form)
    if (faults) return refuse(Object.fromEntries(Object.entries(faults).map(([name, fault]) => [name, t(`faults.${fault}`)])))
    const credentials = filledCredentials(form)
    const body = { ...values, ...proxyOf(form.proxy), ...(Object.keys(credentials).length > 0 ? { credentials } : {}) }
    return send(async () => {
      await sendJson('PATCH', connectionApi(row.id), changeResult, { ...body, version: opened.version })
      toast.success(t('saved'))
      await onSaved()
      reset()
    })
  }
  return (
    <CardForm title={t('settings')} busy={busy} general={general} label={t('save')} onSubmit={() => void save()}>
      <ConnectionFields form={form} onChange={change} errors={errors} stored={row} />
    </CardForm>
  )
}

function TestCard({ row }: { row: ConnectionRow }) {
  const t = useTranslations('operator')
  const mayChange = useMayChange()
  const [probe, setProbe] = useState<ProbeView | null>(null)
  const { busy, general, send } = useOperatorSubmit()
  const test = () => send(async () => setProbe(await sendJson('POST', connectionApi(row.id, '/test'), probeResult)))
  return (
    <Card>
      <CardHeader title={t('test')}>
        {mayChange && (
          <Button size="small" disabled={busy} onClick={() => void test()}>
            {busy ? t('testing') : t('testNow')}
          </Button>
        )}
      </CardHeader>
      <p className="mt-1 text-second">{t('testText')}</p>
      <div className="mt-3 empty:hidden">
        {probe && <ProbeText probe={probe} />}
        <OperatorFormError fault={general} />
      </div>
    </Card>
  )
}

const SHOWN_MODELS = 8

/** The models that nobody can call without this connection. */
function SoleModels({ ids }: { ids: readonly string[] }) {
  const t = useTranslations('operator')
  const more = ids.length - SHOWN_MODELS
  return (
    <>
      <p>{t('soleModels', { count: ids.length })}</p>
      <ul className="mono wrap-anywhere mt-1 list-disc pl-5 text-second">
        {ids.slice(0, SHOWN_MODELS).map((id) => (
          <li key={id}>{id}</li>
        ))}
        {more > 0 && <li>{t('moreModels', { count: more })}</li>}
      </ul>
    </>
  )
}

/** The page of a connection: its settings, a test, and the models that can be imported from it. */
export function ConnectionPage({ id }: { id: string }) {
  const t = useTranslations('operator')
  const mayChange = useMayChange()
  const { data, error, mutate } = useApi(connectionApi(id), connectionDetail)
  // How often it was compared. Each click compares again.
  const [comparisons, setCompared] = useState(0)
  return (
    <DetailPage
      title={data?.name ?? t('connection')}
      back={{ path: '/operator/connections', name: t('connections') }}
      aside={data && (data.archivedAt === null ? <HealthTag {...data} /> : <InactiveTag archivedAt={data.archivedAt} />)}
      actions={
        data && (
          <ArchiveButton
            what="connection"
            name={data.name}
            path={connectionApi(id)}
            version={data.version}
            archived={data.archivedAt !== null}
            consequence={data.soleModels.length > 0 && <SoleModels ids={data.soleModels} />}
            onDone={() => void mutate()}
          />
        )
      }
      loaded={data !== undefined}
      error={error}
      onRetry={() => void mutate()}
    >
      {data && (
        <>
          <p className="text-second">{vendorKind(data.kind)?.label ?? data.kind}</p>
          <TestCard row={data} />
          {mayChange && data.archivedAt === null && canListModels(vendorKind(data.kind)) && (
            <Card>
              <CardHeader title={t('import')}>
                <Button size="small" onClick={() => setCompared(comparisons + 1)}>
                  {t('compareNow')}
                </Button>
              </CardHeader>
              <p className="mt-1 text-second">{t('importText')}</p>
              {comparisons > 0 && (
                <div className="mt-3">
                  <ImportModels key={comparisons} connectionId={id} onDone={() => void mutate()} />
                </div>
              )}
            </Card>
          )}
          <SettingsCard key={id} row={data} onSaved={() => mutate()} />
        </>
      )}
    </DetailPage>
  )
}
