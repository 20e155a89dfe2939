import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { SettingsPage } from '#components/operator/settings/settings-page'
import type { SearchParams } from '../../../search-params.ts'
import { requireOperator } from '../../require-operator.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('operatorSettings')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireOperator('/operator/settings', searchParams)
  return <SettingsPage />
}
