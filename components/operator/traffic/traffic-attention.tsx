'use client'
import { TriangleAlert } from 'lucide-react'
import Link from 'next/link'
import { useTranslations } from 'next-intl'
import type { Attention } from '#lib/contracts/traffic'
import { Card, CardHeader } from '../../ui/card.tsx'
import { useFormat } from '../../use-format.ts'
import { BreakerNote, BreakerTag, isNotClosed } from '../connections/breaker-state.tsx'
import { BreakerSwitch } from '../connections/breaker-switch.tsx'
import { operatorModelPath } from '../paths.ts'

type Failing = Attention['deployments'][number]

function DeploymentLine({ one, onChanged }: { one: Failing; onChanged: () => void }) {
  const t = useTranslations('traffic')
  const format = useFormat()
  const { breaker, attempts, failures } = one
  return (
    <li
      data-attention={one.id}
      className="flex flex-wrap items-center gap-x-4 gap-y-2 border-line-soft border-b py-3 last:border-b-0"
    >
      <div className="min-w-0 grow basis-60">
        <Link href={operatorModelPath(one.modelId)} className="font-medium [overflow-wrap:anywhere] hover:underline">
          {one.modelId}
        </Link>
        <span className="block text-second text-sm [overflow-wrap:anywhere]">
          {one.connectionName} · <span className="mono">{one.upstreamModel}</span>
        </span>
      </div>
      <div className="min-w-0 grow basis-60 text-sm">
        <BreakerTag breaker={breaker} />
        <p className="mt-1 text-second">
          <BreakerNote breaker={breaker} />
        </p>
        {failures > 0 && (
          <p className="figures text-second">
            {t('failed5', { failures: format.count(failures), attempts: format.count(attempts) })}
          </p>
        )}
      </div>
      <BreakerSwitch
        deploymentId={one.id}
        name={`${one.connectionName} ${one.upstreamModel}`}
        held={breaker.mode === 'held'}
        canReset={isNotClosed(breaker)}
        onDone={onChanged}
      />
    </li>
  )
}

/** Problems, shown before anything else: breakers that are not closed, held deployments, and error rates above their limit. */
export function TrafficAttention({ data, onChanged }: { data: Attention; onChanged: () => void }) {
  const t = useTranslations('traffic')
  const format = useFormat()
  const processes = <span className="figures text-second text-sm">{t('processes', { count: data.processes })}</span>
  if (data.deployments.length === 0 && data.models.length === 0)
    return (
      <p className="flex flex-wrap gap-x-3 text-second text-sm">
        <span>{t('wellTitle')}</span>
        {processes}
      </p>
    )
  return (
    <Card className="border-bad/40" aria-labelledby="attention">
      <CardHeader
        id="attention"
        title={
          <span className="flex items-center gap-2 text-bad">
            <TriangleAlert aria-hidden className="size-4" />
            {t('attention')}
          </span>
        }
      >
        {processes}
      </CardHeader>
      <ul className="mt-1">
        {data.models.map(({ id, requests, errors }) => (
          <li key={id} className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line-soft border-b py-3 last:border-b-0">
            <Link
              href={operatorModelPath(id)}
              className="min-w-0 grow basis-60 font-medium [overflow-wrap:anywhere] hover:underline"
            >
              {id}
            </Link>
            <span className="figures grow basis-60 text-bad text-sm">
              {t('modelFailed', { errors: format.count(errors), requests: format.count(requests) })}
            </span>
          </li>
        ))}
        {data.deployments.map((one) => (
          <DeploymentLine key={one.id} one={one} onChanged={onChanged} />
        ))}
      </ul>
    </Card>
  )
}
