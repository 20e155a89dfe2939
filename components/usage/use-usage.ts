'use client'
import { useTranslations } from 'next-intl'
import { MAX_SERIES, type UsageBy, type UsageReport, usageReport } from '#lib/contracts/usage'
import { useApiWithPreviousData } from '../use-api-with-previous-data.ts'
import { useModelName } from '../use-model-name.ts'
import { reportPath, type UsageChoice } from './usage-params.ts'

/** The report for a choice. While another one is loading, the previous one stays. */
export const useUsage = (choice: UsageChoice) =>
  useApiWithPreviousData(reportPath(choice), usageReport, { refreshInterval: 15_000 })

/** The display name of a modality. */
export function useModalityName(): (modality: string) => string {
  const t = useTranslations('models.modalities')
  const usage = useTranslations('usage')
  return (modality) => (modality === '' ? usage('unknownModality') : t.has(modality as 'chat') ? t(modality as 'chat') : modality)
}

/** The display names of a report's groups. */
export function useGroupName(): (group: UsageReport['groups'][number], by: UsageBy) => string {
  const modalityName = useModalityName()
  const modelName = useModelName()
  return ({ id, name }, by) => (by === 'modality' ? modalityName(id) : by === 'model' ? modelName(name) : name)
}

/** The display names of a report's series, in order. */
export function useSeriesNames(): (report: UsageReport) => string[] {
  const t = useTranslations('usage')
  const name = useGroupName()
  return ({ groups, by }) => [
    ...groups.slice(0, MAX_SERIES).map((group) => name(group, by)),
    ...(groups.length > MAX_SERIES ? [t('others')] : []),
  ]
}
