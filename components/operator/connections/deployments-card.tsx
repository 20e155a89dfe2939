'use client'
import { Cpu } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import { useState } from 'react'
import type { DeploymentRow } from '#lib/contracts/operator'
import { Button } from '../../ui/button.tsx'
import { Card, CardHeader } from '../../ui/card.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Table, Td, Th } from '../../ui/table.tsx'
import { Dot, Tag } from '../../ui/tag.tsx'
import { useMediaQuery } from '../../use-media-query.ts'
import { ArchiveButton } from '../archive-button.tsx'
import { connectionPath } from '../paths.ts'
import { InactiveTag } from '../state-tags.tsx'
import { useMayChange } from '../use-may-change.ts'
import { BreakerSwitch } from './breaker-switch.tsx'
import { DeploymentFields } from './deployment-fields.tsx'
import { DEPLOYMENT_LIMITS } from './deployment-form.ts'

const isCalled = (row: DeploymentRow): boolean => row.enabled && row.archivedAt === null && !row.connectionArchived

const TONES = { well: 'good', trying: 'warn', failing: 'bad' } as const
/** The limits of a deployment, one per line. */
function Limits(row: DeploymentRow) {
  const t = useTranslations('operator')
  const set = DEPLOYMENT_LIMITS.filter((name) => row[name] !== null)
  if (set.length === 0) return '–'
  return set.map((name) => (
    <span key={name} className="block whitespace-nowrap">
      {t(`limitOf.${name}`, { count: row[name] ?? 0 })}
    </span>
  ))
}

/** The health of a deployment, or why it gets no requests. */
function State({ row }: { row: DeploymentRow }) {
  const t = useTranslations('operator')
  const traffic = useTranslations('traffic')
  if (row.archivedAt !== null || !(row.enabled || row.held)) return <InactiveTag {...row} />
  if (row.connectionArchived) return <Tag>{t('connectionArchived')}</Tag>
  const isFull = row.isFull && row.health === 'well'
  const tone = row.held ? 'bad' : isFull ? 'warn' : TONES[row.health]
  return (
    <Tag tone={tone}>
      <Dot tone={tone} />
      {row.held ? traffic('held') : t(isFull ? 'health.fullOne' : `health.${row.health}One`)}
    </Tag>
  )
}

interface RowProps {
  row: DeploymentRow
  /** Whether it is the model's only deployment that can be called. */
  sole: boolean
  /** On phones everything goes below the name, because there is no room next to it. */
  narrow: boolean
  /** Null for readers who may not change anything. */
  onEdit: (() => void) | null
  onChanged: () => void
}

/** The actions on a deployment. */
function DeploymentActions({ row, sole, onEdit, onChanged }: Omit<RowProps, 'narrow'>) {
  const t = useTranslations('operator')
  if (onEdit === null) return null
  const name = `${row.connectionName} ${row.upstreamModel}`
  return (
    <>
      {row.archivedAt === null && (
        <Button size="small" aria-label={t('changeNamed', { name })} onClick={onEdit}>
          {t('change')}
        </Button>
      )}
      {row.archivedAt === null && (
        <BreakerSwitch deploymentId={row.id} name={name} held={row.held} canReset={row.health !== 'well'} onDone={onChanged} />
      )}
      <ArchiveButton
        what="deployment"
        size="small"
        name={name}
        path={`/api/operator/deployments/${row.id}`}
        version={row.version}
        archived={row.archivedAt !== null}
        consequence={sole && t('soleDeployment', { model: row.modelId })}
        onDone={onChanged}
      />
    </>
  )
}

function Row({ row, sole, narrow, onEdit, onChanged }: RowProps) {
  const actions = <DeploymentActions row={row} sole={sole} onEdit={onEdit} onChanged={onChanged} />
  return (
    <tr data-deployment={row.id}>
      <Td>
        <Link href={connectionPath(row.connectionId)} className="block font-medium hover:underline">
          {row.connectionName}
        </Link>
        <span className="mono wrap-anywhere block text-second">{row.upstreamModel}</span>
        {narrow && (
          <span className="mt-1.5 flex flex-wrap items-center gap-2">
            <span className="basis-full">
              <State row={row} />
            </span>
            {actions}
          </span>
        )}
      </Td>
      <Td figures className="max-md:hidden">
        {row.priority}
      </Td>
      <Td figures className="max-md:hidden">
        {row.weight}
      </Td>
      <Td figures className="max-md:hidden">
        <Limits {...row} />
      </Td>
      {!narrow && (
        <Td className="w-0 whitespace-nowrap">
          <State row={row} />
        </Td>
      )}
      {!narrow && onEdit !== null && (
        <Td className="w-0 whitespace-nowrap text-right">
          <span className="inline-flex justify-end gap-2">{actions}</span>
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

/** The connections that serve a model, in order, with their health. */
export function DeploymentsCard({ modelId, rows, onChanged }: DeploymentsCardProps) {
  const t = useTranslations('operator')
  const mayChange = useMayChange()
  const [edited, setEdited] = useState<DeploymentRow | 'new' | null>(null)
  const narrow = useMediaQuery('(max-width: 39.99rem)')
  return (
    <Card>
      <CardHeader title={t('deployments')}>
        {mayChange && edited === null && (
          <Button size="small" onClick={() => setEdited('new')}>
            {t('newDeployment')}
          </Button>
        )}
      </CardHeader>
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
                {t('limits')}
              </Th>
              {!narrow && <Th>{t('state')}</Th>}
              {!narrow && mayChange && (
                <Th>
                  <span className="sr-only">{t('actions')}</span>
                </Th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <Row
                key={row.id}
                row={row}
                sole={isCalled(row) && rows.filter(isCalled).length === 1}
                narrow={narrow}
                onEdit={mayChange ? () => setEdited(row) : null}
                onChanged={onChanged}
              />
            ))}
          </tbody>
        </Table>
      )}
      {edited !== null && (
        <DeploymentFields
          key={edited === 'new' ? 'new' : edited.id}
          modelId={modelId}
          row={edited === 'new' ? null : edited}
          onCancel={() => setEdited(null)}
          onDone={() => {
            setEdited(null)
            onChanged()
          }}
        />
      )}
    </Card>
  )
}
