import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as chart from '#app/api/requests/chart/route'
import * as requests from '#app/api/requests/route'
import { HistoryPage } from '#components/history/history-page'
import { chartPath, readFilters, requestsPath } from '../../../components/history/filter-params.ts'
import { type SearchParams, toUrlSearchParams } from '../../search-params.ts'
import { Prefetch } from '../prefetch.tsx'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('history')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/history', searchParams)
  const filters = readFilters(toUrlSearchParams(await searchParams))
  return (
    <Prefetch reads={{ [requestsPath(filters, null)]: requests, [chartPath(filters)]: chart }}>
      <HistoryPage />
    </Prefetch>
  )
}
