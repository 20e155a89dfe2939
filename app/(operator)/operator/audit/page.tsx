import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { AuditPage } from '#components/operator/audit-page'
import type { SearchParams } from '../../../search-params.ts'
import { requireOperator } from '../../require-operator.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('operator')
  return { title: t('audit') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireOperator('/operator/audit', searchParams)
  return <AuditPage />
}
