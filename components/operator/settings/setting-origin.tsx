'use client'
import { useTranslations } from 'next-intl'
import { SETTINGS, type SettingRow } from '#lib/contracts/settings'
import { Tag } from '../../ui/tag.tsx'
import { useFormat } from '../../use-format.ts'

/** Where the value of a setting comes from: an operator, its environment variable, or the default. */
export function SettingOrigin({ row }: { row: SettingRow }) {
  const t = useTranslations('operatorSettings')
  const format = useFormat()
  const { env } = SETTINGS[row.name]
  if (!row.set) return <Tag className="shrink-0">{env === null ? t('builtIn') : <code className="mono">{env}</code>}</Tag>
  const by = { who: row.changedBy ?? '?', when: row.changedAt === null ? '?' : format.moment(row.changedAt) }
  return (
    <Tag tone="good" className="shrink-0" title={t('setBy', by)}>
      {t('set')}
      <span className="sr-only">{t('setBy', by)}</span>
    </Tag>
  )
}
