'use client'
import { useTranslations } from 'next-intl'
import { Dot, Tag } from '../ui/tag.tsx'

/** Whether deployments answer: all, not all, or none at all. */
export function Health({ deployments, failing }: { deployments: number; failing: number }) {
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

/** Marks what is out of use. */
export function Out({ archivedAt, enabled = true }: { archivedAt: string | null; enabled?: boolean }) {
  const t = useTranslations('operator')
  if (archivedAt !== null) return <Tag>{t('archived')}</Tag>
  return enabled ? null : <Tag tone="warn">{t('off')}</Tag>
}
