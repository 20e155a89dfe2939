'use client'
import { useTranslations } from 'next-intl'
import { Dot, Tag } from '../ui/tag.tsx'

/** Whether the deployments are healthy: all, some, or none. */
export function HealthTag({ deployments, failing }: { deployments: number; failing: number }) {
  const t = useTranslations('operator.health')
  if (deployments === 0)
    return (
      <Tag>
        <Dot tone="plain" />
        {t('none')}
      </Tag>
    )
  const tone = failing === 0 ? 'good' : failing < deployments ? 'warn' : 'bad'
  return (
    <Tag tone={tone}>
      <Dot tone={tone} />
      {failing === 0 ? t('well') : t('failing', { failing, all: deployments })}
    </Tag>
  )
}

/** Marks records that are not in use. */
export function InactiveTag({ archivedAt, enabled = true }: { archivedAt: string | null; enabled?: boolean }) {
  const t = useTranslations('operator')
  if (archivedAt !== null) return <Tag>{t('archived')}</Tag>
  return enabled ? null : <Tag tone="warn">{t('off')}</Tag>
}
