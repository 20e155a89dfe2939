import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import { HistoryPage } from '#components/history/history-page'
import type { SearchParams } from '../../search-params.ts'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('history')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/history', searchParams)
  return <HistoryPage />
}
