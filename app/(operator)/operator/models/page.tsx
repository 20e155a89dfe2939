import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { OperatorModelsPage } from '#components/operator/models/models-page'
import type { SearchParams } from '../../../search-params.ts'
import { requireOperator } from '../../require-operator.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('operator')
  return { title: t('models') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireOperator('/operator/models', searchParams)
  return <OperatorModelsPage />
}
