'use client'
import { Cpu } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { type FormEvent, useState } from 'react'
import { changed, connectionPage, type DeploymentRow } from '#lib/contracts/operator'
import { sendJson } from '../fetch-json.ts'
import { toast } from '../toast.ts'
import { Button } from '../ui/button.tsx'
import { Card, CardHead } from '../ui/card.tsx'
import { Checkbox } from '../ui/checkbox.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'
import { NativeSelect } from '../ui/native-select.tsx'
import { Table, Td, Th } from '../ui/table.tsx'
import { Dot, Tag } from '../ui/tag.tsx'
import { useApi } from '../use-api.ts'
import { ArchiveButton } from './archive-button.tsx'
import { BreakerSwitch } from './breaker-switch.tsx'
import { Fault } from './fault.tsx'
import { connectionPath } from './paths.ts'
import { Out } from './states.tsx'
import { useMayChange } from './use-may-change.ts'
import { useSubmit } from './use-submit.ts'

const TONES = { well: 'good', trying: 'warn', failing: 'bad' } as const
const FIELDS = ['weight', 'priority', 'concurrency'] as const
type Numbers = Record<(typeof FIELDS)[number], string>

/** Weight, priority and limit as numbers; the names of those that are none. */
function readNumbers(numbers: Numbers): { values: Record<string, number | null> } | { faults: string[] } {
  const faults = FIELDS.filter(
    (name) => !(name === 'concurrency' && numbers[name].trim() === '') && !/^-?\d{1,6}$/.test(numbers[name].trim()),
  )
  if (faults.length > 0) return { faults }
  return { values: Object.fromEntries(FIELDS.map((name) => [name, numbers[name].trim() === '' ? null : Number(numbers[name])])) }
}

function NumberFields({
  numbers,
  onChange,
  errors,
}: {
  numbers: Numbers
  onChange: (numbers: Numbers) => void
  errors: Record<string, string>
}) {
  const t = useTranslations('operator')
  return (
    <div className="grid gap-x-4 gap-y-5 sm:grid-cols-3">
      {FIELDS.map((name) => (
        <Field key={name} label={t(`fields.${name}`)} hint={t(`hints.deployment.${name}`)} error={errors[name]}>
          {(control) => (
            <Input
              {...control}
              name={name}
              inputMode="numeric"
              autoComplete="off"
              className="figures"
              value={numbers[name]}
              onChange={(event) => onChange({ ...numbers, [name]: event.target.value })}
            />
          )}
        </Field>
      ))}
    </div>
  )
}

interface FormProps {
  modelId: string
  /** What is changed; null makes another one. */
  row: DeploymentRow | null
  onDone: () => void
}

function DeploymentForm({ modelId, row, onDone }: FormProps) {
  const t = useTranslations('operator')
  const { data } = useApi(row ? null : '/api/operator/connections?limit=200', connectionPage)
  const [connectionId, setConnectionId] = useState('')
  const [upstreamModel, setUpstreamModel] = useState('')
  const [enabled, setEnabled] = useState(row?.enabled ?? true)
  const [numbers, setNumbers] = useState<Numbers>({
    weight: String(row?.weight ?? 1),
    priority: String(row?.priority ?? 0),
    concurrency: row?.concurrency == null ? '' : String(row.concurrency),
  })
  const { busy, errors, general, send, refuse } = useSubmit()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const read = readNumbers(numbers)
    if ('faults' in read) return refuse(Object.fromEntries(read.faults.map((name) => [name, t('faults.whole')])))
    return send(async () => {
      const body = { ...read.values, enabled }
      if (row) await sendJson('PATCH', `/api/operator/deployments/${row.id}`, changed, { ...body, version: row.version })
      else
        await sendJson('POST', '/api/operator/deployments', changed, {
          ...body,
          modelId,
          connectionId: connectionId || (data?.rows[0]?.id ?? ''),
          upstreamModel,
        })
      toast.success(t('saved'))
      onDone()
    })
  }
  return (
    <form noValidate onSubmit={(event) => void submit(event)} className="mt-4 flex max-w-xl flex-col gap-5 border-t pt-4">
      {row === null && (
        <>
          <NativeSelect
            label={t('connection')}
            value={connectionId || (data?.rows[0]?.id ?? '')}
            onChange={setConnectionId}
            options={(data?.rows ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            className="self-start"
          />
          {errors.connectionId !== undefined && <Fault text={errors.connectionId} />}
          <Field label={t('fields.upstreamModel')} hint={t('hints.upstreamModel')} error={errors.upstreamModel}>
            {(control) => (
              <Input
                {...control}
                name="upstreamModel"
                autoComplete="off"
                spellCheck={false}
                value={upstreamModel}
                onChange={(event) => setUpstreamModel(event.target.value)}
              />
            )}
          </Field>
        </>
      )}
      <NumberFields numbers={numbers} onChange={setNumbers} errors={errors} />
      <Checkbox label={t('fields.deploymentOn')} checked={enabled} onChange={setEnabled} />
      <Fault text={general} />
      <Button type="submit" tone="primary" disabled={busy} className="self-start">
        {t('save')}
      </Button>
    </form>
  )
}

function Row({ row, onEdit, onChanged }: { row: DeploymentRow; onEdit: (() => void) | null; onChanged: () => void }) {
  const t = useTranslations('operator')
  const traffic = useTranslations('traffic')
  const name = `${row.connectionName} ${row.upstreamModel}`
  return (
    <tr data-deployment={row.id}>
      <Td>
        <Link href={connectionPath(row.connectionId)} className="block font-medium hover:underline">
          {row.connectionName}
        </Link>
        <span className="mono block break-all text-second">{row.upstreamModel}</span>
      </Td>
      <Td figures className="max-md:hidden">
        {row.priority}
      </Td>
      <Td figures className="max-md:hidden">
        {row.weight}
      </Td>
      <Td figures className="max-md:hidden">
        {row.concurrency ?? '–'}
      </Td>
      <Td className="w-0 whitespace-nowrap">
        {row.archivedAt === null && row.held ? (
          <Tag tone="bad">
            <Dot tone="bad" />
            {traffic('held')}
          </Tag>
        ) : row.archivedAt === null && row.enabled ? (
          <Tag tone={TONES[row.health]}>
            <Dot tone={TONES[row.health]} />
            {t(`health.${row.health}One`)}
          </Tag>
        ) : (
          <Out {...row} />
        )}
      </Td>
      {onEdit !== null && (
        <Td className="w-0 whitespace-nowrap text-right">
          <span className="inline-flex justify-end gap-2 max-sm:flex-col max-sm:items-end">
            {row.archivedAt === null && (
              <Button size="small" aria-label={t('changeNamed', { name })} onClick={onEdit}>
                {t('change')}
              </Button>
            )}
            {row.archivedAt === null && (
              <BreakerSwitch
                deploymentId={row.id}
                name={name}
                held={row.held}
                troubled={row.health !== 'well'}
                onDone={onChanged}
              />
            )}
            <ArchiveButton
              what="deployment"
              size="small"
              name={name}
              path={`/api/operator/deployments/${row.id}`}
              version={row.version}
              archived={row.archivedAt !== null}
              onDone={onChanged}
            />
          </span>
        </Td>
      )}
    </tr>
  )
}

interface DeploymentsCardProps {
  modelId: string
  rows: DeploymentRow[]
  onChanged: () => void
}

/** Which connections run a model, in which order, and how they are. */
export function DeploymentsCard({ modelId, rows, onChanged }: DeploymentsCardProps) {
  const t = useTranslations('operator')
  const mayChange = useMayChange()
  const [edited, setEdited] = useState<DeploymentRow | 'new' | null>(null)
  return (
    <Card>
      <CardHead title={t('deployments')}>
        {mayChange && edited === null && (
          <Button size="small" onClick={() => setEdited('new')}>
            {t('newDeployment')}
          </Button>
        )}
      </CardHead>
      <p className="mt-1 text-second">{t('deploymentsText')}</p>
      {rows.length === 0 ? (
        <EmptyState icon={<Cpu />} title={t('noDeployments')} text={t('noDeploymentsText')} />
      ) : (
        <Table className="mt-2">
          <thead>
            <tr>
              <Th>{t('connection')}</Th>
              <Th figures className="max-md:hidden">
                {t('fields.priority')}
              </Th>
              <Th figures className="max-md:hidden">
                {t('fields.weight')}
              </Th>
              <Th figures className="max-md:hidden">
                {t('limit')}
              </Th>
              <Th>{t('state')}</Th>
              {mayChange && (
                <Th>
                  <span className="sr-only">{t('actions')}</span>
                </Th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row key={row.id} row={row} onEdit={mayChange ? () => setEdited(row) : null} onChanged={onChanged} />
            ))}
          </tbody>
        </Table>
      )}
      {edited !== null && (
        <DeploymentForm
          key={edited === 'new' ? 'new' : edited.id}
          modelId={modelId}
          row={edited === 'new' ? null : edited}
          onDone={() => {
            setEdited(null)
            onChanged()
          }}
        />
      )}
    </Card>
  )
}
