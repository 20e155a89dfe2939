import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { TrafficPage } from '#components/operator/traffic/traffic-page'
import type { SearchParams } from '../../../search-params.ts'
import { requireOperator } from '../../require-operator.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('traffic')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireOperator('/operator/traffic', searchParams)
  return <TrafficPage />
}
