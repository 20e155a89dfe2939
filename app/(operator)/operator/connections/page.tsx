import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { ConnectionsPage } from '#components/operator/connections/connections-page'
import type { SearchParams } from '../../../search-params.ts'
import { requireOperator } from '../../require-operator.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('operator')
  return { title: t('connections') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireOperator('/operator/connections', searchParams)
  return <ConnectionsPage />
}
