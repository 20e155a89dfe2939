import type { Metadata } from 'next'
import { getTranslations } from 'next-intl/server'
import * as chart from '#app/api/requests/chart/route'
import * as requests from '#app/api/requests/route'
import { HistoryPage } from '#components/history/history-page'
import { chartPath, readFilters, requestsPath } from '../../../components/history/address.ts'
import { asParams, type SearchParams } from '../../search-params.ts'
import { FirstReads } from '../first-reads.tsx'
import { requireUser } from '../require-user.ts'

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations('history')
  return { title: t('title') }
}

export default async function Page({ searchParams }: { searchParams: SearchParams }) {
  await requireUser('/history', searchParams)
  const filters = readFilters(asParams(await searchParams))
  return (
    <FirstReads reads={{ [requestsPath(filters, null)]: requests, [chartPath(filters)]: chart }}>
      <HistoryPage />
    </FirstReads>
  )
}
