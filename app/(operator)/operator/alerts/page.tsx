import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { AlertsPage } from '#components/operator/alerts/alerts-page'
import type { SearchParams } from '../../../search-params.ts'
import { requireOperator } from '../../require-operator.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('operatorAlerts')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireOperator('/operator/alerts', searchParams)
  return <AlertsPage />
}
